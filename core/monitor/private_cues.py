"""Private cues: the words that tell what the next word or number of a question is: a person's name, a number that is
somebody's own, or an error code. All patterns are for the folded text before it, up to its start."""

from __future__ import annotations

import re

from core.identifiers import CODE_WORDS

REACH = 24  # characters before a word that a cue may need
_SIGNS = r"[\W_]*"
# "编号 8123" and "id 8123" may be anybody's.
_CODE_WORDS = sorted(CODE_WORDS - {"id", "no", "num", "number", "编号"}, key=len, reverse=True)
CODE_FOLLOWS = re.compile(rf"(?:(?<![a-z0-9])|(?=[^a-z]))(?:{'|'.join(_CODE_WORDS)})(?:\s?id|\s?no)?[\W_号是为]*$")
OWN_NUMBER_FOLLOWS = re.compile(
    r"(?:分机|内线|工号|员工|职工|学号|工牌|胸牌|卡|电话|手机|座机|热线|短号|号码|编号|证|房间|工位|座位|密码|口令|验证码|序列号"
    r"|资产|车牌|门禁|邮政|取件|开机|解锁|安全|账号|帐号|账户|帐户|用户|用户名|客户|同事|微信|拨打?|致电|联系|转|订单|工单|单号|生日|姓名"
    r"|(?<![a-z])(?:qq|pin|ext|extension|tel|telephone|phone|mobile|call|room|desk|badge|card|staff|employee|user|account"
    r"|password|passcode|access|door|entry|zip|security|verification|ticket|order|asset|serial|sn))"
    rf"(?:{_SIGNS}(?:号码?|代码|编码|编号|id|no|num|number|code))?[\W_是为号]*$"
)
# What follows these is a person's name, even a word that everybody uses.
NAME_FOLLOWS = re.compile(
    r"(?:我是|我叫|名叫|叫做|(?<![呼])叫|姓名|名字|姓|同事"
    r"|(?<![a-z])(?:i am|i'm|name is|this is|name|colleague))(?:是|为|叫)?"
    rf"{_SIGNS}$"
)
# What follows these may be one.
NAME_MAY_FOLLOW = re.compile(
    r"(?:找|用户名?|员工|客户|领导|老板|联系人?|请|给|帮|替|问|工号|账号|帐号|账户|帐户"
    rf"|(?<![a-z])(?:user|username|login|account|caller|customer|for|from|ask))(?:是|为|叫)?{_SIGNS}$"
)
# And what stands before these.
AFTER_NAME = frozenset(["的", "说", "来电", "反映", "反馈", "报修", "报障", "要求", "打来", "来", "那边", "这边", "处"])
NO_NAME_BEGINS = frozenset("不没未了的我你他她它这那哪怎什")
TITLE = re.compile("[总工姐哥董处科局]|经理|主任|老师|师傅|先生|女士|小姐|同学|主管|主席|总监|部长|处长|科长|局长|院长")
FAMILIAR = frozenset("小老阿")  # before a name of one character
SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩邓冯曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢姚沈钟姜崔谭陆范汪廖"
    "石金韦贾夏付方邹熊白孟秦邱侯江尹薛闫段雷龙黎史陶贺毛郝顾龚邵万覃武钱戴严莫孔向常汤文温康施牛樊葛邢安齐易乔伍庞颜倪庄聂章"
    "鲁岳翟殷詹申耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷曲盛冉翁蓝骆路游辛靳欧管柴蒙鲍华喻祁蒲房滕屈饶解"
    "牟艾尤阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑"
    "郎甄丛仲虞敖巩明佘池查麻苑迟邝"
)
# These begin many a common word: only a cue makes a name of it.
COMMON_BEGINNINGS = frozenset(
    "于时关应解连单管项全常向方程任成万严安温车简查盛金游冷古司曲边米农乐段付马宁和师包蒙步文高"
)
