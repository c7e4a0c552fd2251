"""Models of a few numbers with random weights, laid out as FlagEmbedding's own: made in a second, told nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_SPECIAL = {"bos": "<s>", "eos": "</s>", "sep": "</s>", "cls": "<s>", "unk": "<unk>", "pad": "<pad>", "mask": "<mask>"}
_LINES = [
    f"{subject}{trouble} {code}"
    for subject in ("VPN", "打印机", "邮箱", "密码", "会议室", "共享盘", "the printer", "my password", "the network")
    for trouble in (
        "连不上",
        "打不开",
        "登录失败",
        "已过期",
        "无法访问",
        " is broken",
        " has expired",
        " cannot be reached",
    )
    for code in ("691", "0x80070005", "怎么办", "请联系服务台", "restart it")
]


def tiny_m3(folder: Path, *, dimension: int = 1024) -> Path:
    """BGE-M3: one layer, and both heads."""
    import torch
    from transformers import XLMRobertaModel

    torch.manual_seed(3)
    config = _configured(folder, dimension, layers=1)
    XLMRobertaModel(config).save_pretrained(folder)
    torch.save(torch.nn.Linear(dimension, dimension).state_dict(), folder / "colbert_linear.pt")
    torch.save(torch.nn.Linear(dimension, 1).state_dict(), folder / "sparse_linear.pt")
    return folder


def tiny_dense(folder: Path, *, dimension: int = 64) -> Path:
    """An encoder with its dense vectors alone."""
    import torch
    from transformers import XLMRobertaModel

    torch.manual_seed(5)
    XLMRobertaModel(_configured(folder, dimension)).save_pretrained(folder)
    return folder


def tiny_reranker(folder: Path) -> Path:
    """One score a pair."""
    import torch
    from transformers import XLMRobertaForSequenceClassification

    torch.manual_seed(7)
    XLMRobertaForSequenceClassification(_configured(folder, 64, num_labels=1)).save_pretrained(folder)
    return folder


def _configured(folder: Path, dimension: int, *, layers: int = 2, **further: Any) -> Any:
    """Its configuration; the tokenizer is in the folder."""
    from transformers import XLMRobertaConfig

    folder.mkdir(parents=True)
    words = _tokenizer(folder)
    # With the usual range of 0.02 all texts are the same to such a model.
    facts = {"max_position_embeddings": 514, "initializer_range": 0.5, **further}
    return XLMRobertaConfig(
        vocab_size=words,
        hidden_size=dimension,
        num_hidden_layers=layers,
        num_attention_heads=4,
        intermediate_size=128,
        type_vocab_size=1,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        **facts,
    )


def _tokenizer(folder: Path) -> int:
    """Written to the folder; how many pieces it knows."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.UnigramTrainer(vocab_size=600, special_tokens=special, unk_token="<unk>", show_progress=False)
    made.train_from_iterator(_LINES, trainer)
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokens = {f"{name}_token": token for name, token in _SPECIAL.items()}
    PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=512, **tokens).save_pretrained(folder)
    return int(made.get_vocab_size())
