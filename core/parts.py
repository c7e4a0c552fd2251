"""Parts: what an open data folder consists of; those that need numpy, jieba or OpenCC are made when first asked for."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from core.clock import Clock
from core.made_once import made_once
from core.paths import DataFolder
from core.session import RetrievedDocTracker
from core.settings import Settings, Value
from core.settings_file import SettingsFile
from core.standing import Standing
from core.store.activity import Activity
from core.store.articles import Articles
from core.store.database import Database
from core.store.sources import Sources

if TYPE_CHECKING:
    from core.agents.calls import Wait
    from core.asking import Asking
    from core.attaching import ModelVectors
    from core.embedding.models import Models
    from core.feedback import Feedback
    from core.indexing import IndexKeeper
    from core.ingest.importer import Importer
    from core.monitor.agent_record import AgentRecord
    from core.monitor.desk_reports import DeskReports
    from core.monitor.masking import Masking
    from core.monitor.monitor import Monitor
    from core.notes import Notes
    from core.protocols import Embedder
    from core.report import Thresholds
    from core.retrieval import Serving


class Parts:
    """The parts of one Engine. Thread-safe: each is made once."""

    def __init__(
        self,
        folder: DataFolder,
        database: Database,
        *,
        language: str,
        embedder: Embedder | None,
        clock: Clock,
        wait: Wait | None,
    ) -> None:
        self.folder = folder
        self.language = language
        self._settings_file = SettingsFile(folder.settings)
        self._asking_made: tuple[dict[str, Value], Serving, Asking] | None = None
        self._making_asking = threading.RLock()
        self._feedbacks: dict[str, Feedback] = {}
        self._database = database
        self._clock = clock
        self._embedder = embedder
        self._wait = wait
        self._articles = Articles(database)
        self._sources = Sources(database)
        self._activity = Activity(database, clock)
        self._tracker = RetrievedDocTracker(database, clock)
        self.standing = Standing(database, clock)

    @property
    def settings(self) -> Settings:
        """As the file has them now. Weights, lengths and deadlines hold from the next lookup on; what the agents, the
        cache and the index were made with, from the next start on."""
        return self._settings_file.current()

    @made_once
    def notes(self) -> Notes:
        """Field notes: writing one, taking it back, what colleagues wrote."""
        from core.notes import Notes

        return Notes(self.folder, self._importer, self._articles, self._sources, clock=self._clock)

    @made_once
    def models(self) -> Models:
        """Which embedder is wanted and why another serves; loading, adding, embedding."""
        from core.embedding.models import Models

        return Models(
            self.folder.models,
            lambda: self.settings,
            lambda settings: settings.save(self.folder.settings),
            lambda: self._model_vectors,
            given=self._embedder,
        )

    @made_once
    def monitor(self) -> Monitor:
        """How the agents do, alerts, suggestions, and what the monitor page shows."""
        from core.monitor.monitor import Monitor

        return Monitor(
            self._database,
            self.settings,
            self._clock,
            language=lambda: self.language,
            serving=lambda: self._serving,
            record=self._agent_record,
            thresholds=self._thresholds,
            index_folder=self.folder.index,
            desk_reports=self._desk_reports,
        )

    @made_once
    def _desk_reports(self) -> DeskReports:
        from core.monitor.desk_reports import DeskReports

        def masking() -> Masking:
            from core.monitor.masking import Masking

            return Masking(self._keeper.lexicon, lambda word: self._keeper.current().df(word) > 0)

        return DeskReports(self._database, self.settings, self._clock, masking)

    @made_once
    def _keeper(self) -> IndexKeeper:
        from core.embedding.hashed import HashedEmbedder
        from core.indexing import IndexKeeper
        from core.lexicon import Lexicon

        hashed = HashedEmbedder(self.settings.whole("hashed.dimension"))
        return IndexKeeper(
            self._database,
            self._articles,
            self.folder.index,
            embedder=self._embedder or hashed,
            further=(hashed,) if self._embedder else (),
            lexicon=Lexicon.load(self.folder),
        )

    @made_once
    def _model_vectors(self) -> ModelVectors:
        from core.attaching import ModelVectors

        return ModelVectors(self._database, self._articles, self._keeper)

    @made_once
    def _serving(self) -> Serving:
        return self._serving_by(self.models.serving())

    def _serving_by(self, model: str | None) -> Serving:
        from core.retrieval import Serving

        record = self._agent_record
        serving = Serving.over(
            self.folder,
            self.settings,
            self._clock,
            models=(model,) if model else (),
            wait=self._wait,
            on_call=record.on_call,
            on_recovery=record.on_recovery,
        )
        record.restore(serving.calls.pool)
        return serving

    def _keep_serving_up(self) -> Serving:
        """Made anew once lookups ask another model, or none any more; the instances' figures live on in the record."""
        serving, model = self._serving, self.models.serving()
        if serving.model != model:
            self._serving = self._serving_by(model).after(serving)
        return self._serving

    @made_once
    def _agent_record(self) -> AgentRecord:
        from core.monitor.agent_record import AgentRecord

        return AgentRecord(self._database, self.settings, self._clock)

    def _count_cache(self) -> None:
        """Keep what the cache has counted; nothing where no lookup was asked for."""
        if "_serving" in self.__dict__:
            self._agent_record.count(self._serving.cache.figures())

    @property
    def feedback(self) -> Feedback:
        """Votes: what was confirmed, how reliable the levels are, and thresholds tuned by it; of the embedder that
        serves now."""
        return self._feedback_on(self.models.serving() or "hashed")

    def _feedback_on(self, embedder: str) -> Feedback:
        from core.feedback import Feedback

        with self._making_asking:
            if embedder not in self._feedbacks:
                self._feedbacks[embedder] = Feedback(
                    self._database, self._clock, lambda: self._keeper.lexicon, embedder
                )
            return self._feedbacks[embedder]

    def _thresholds(self, embedder: str) -> Thresholds:
        return self._feedback_on(embedder).thresholds()

    @property
    def _asking(self) -> Asking:
        """Made anew once the settings that answers depend on, or who serves, have changed."""
        wanted = self.settings.of_answers()
        with self._making_asking:
            serving, made = self._keep_serving_up(), self._asking_made
            if made is None or made[0] != wanted or made[1] is not serving:
                made = wanted, serving, self._asking_over(self._database, self._keeper, serving)
                self._asking_made = made
            return made[2]

    def _asking_over(self, database: Database, keeper: IndexKeeper, serving: Serving | None = None) -> Asking:
        from core.asking import Asking

        reranker = self.models.reranker
        return Asking(database, keeper, settings=self.settings, clock=self._clock, serving=serving, reranker=reranker)

    @made_once
    def _importer(self) -> Importer:
        from core.ingest.importer import Importer

        return Importer(self._database, self._articles, self.folder, self.settings, self._clock)
