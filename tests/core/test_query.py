"""A text that was asked, read: letters and digits written together."""

from __future__ import annotations

import pytest

from core.query import with_parted_runs


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("VPN691", "VPN 691"),
        ("安装Windows11需要多久", "安装Windows 11需要多久"),
        ("office2016激活", "office 2016激活"),
        ("VPN 691", "VPN 691"),
        ("E4012", "E4012"),
        ("v2.1.10 PPR-9087 err_691 x86_64", "v2.1.10 PPR-9087 err_691 x86_64"),
        ("0x80070005", "0x80070005"),
    ],
)
def test_a_run_of_letters_and_digits_that_are_two_is_parted(text: str, read: str) -> None:
    assert with_parted_runs(text, lambda letters, digits: True) == read
    assert with_parted_runs(text, lambda letters, digits: False) == text
