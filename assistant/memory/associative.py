"""The memory as the rest of the program uses it: hear, remember, recall, revise, forget."""

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from assistant.errors import BadInput
from assistant.language.encoder import Encoder
from assistant.memory import terms as lexical
from assistant.memory.active import ActiveGraph, begin_epoch
from assistant.memory.archive import maintain
from assistant.memory.choosing import Selection
from assistant.memory.concepts import Extractor
from assistant.memory.concepts.salient import SalientExtractor
from assistant.memory.consolidation import Consolidated, Consolidator
from assistant.memory.engines import find_engine
from assistant.memory.evidence import evidence_of, only_asks, softened
from assistant.memory.forgetting import ForgettingPlan, erase, forget, plan_forgetting, undo
from assistant.memory.gate import Judgement, judge
from assistant.memory.marks import UNMARKED, Marks, mark
from assistant.memory.parameters import Parameters
from assistant.memory.plasticity import learn, note_recalled
from assistant.memory.quarantine import examine
from assistant.memory.question import read_question
from assistant.memory.recall import EVERYTHING, Ranked, Scope, best, check, concept_hits, hits, superseding, wanted
from assistant.memory.recollection import Hit, Recollection
from assistant.memory.stopwatch import Stopwatch
from assistant.memory.succession import note_successions
from assistant.memory.usage import drew_on
from storage.grace import Forgetting
from storage.instants import to_columns
from storage.records import (
    Concept,
    Conversation,
    EmbeddingSpace,
    Maker,
    Passage,
    Receipt,
    Role,
    Source,
    Turn,
    Utterance,
    Verdict,
)
from storage.vault import Vault

NOTES = "notes"
"""External id of the conversation that notes go to."""
TERMS_VERSION = "terms.version"
"""Setting of the vault: the version of `terms` that made its lexical terms."""
MOST_PASSAGES = 64
"""Passages of one text that get a vector, some 50 KB of it: the rest of a longer one is found by its words alone."""
EMBED_AT_ONCE = 64
"""Nodes encoded and committed together: what a kill in the middle costs."""


class AssociativeMemory:
    """The memories of one vault. Methods may be called from any thread; they take their turn."""

    def __init__(
        self, vault: Vault, encoder: Encoder, *, engine: str = "associative", parameters: Parameters | None = None
    ) -> None:
        find_engine(engine)  # refuses a name that is wrong before anything is asked
        self.vault = vault
        self.encoder = encoder
        self.engine = engine
        self.parameters = parameters or Parameters()
        self._active = ActiveGraph(vault, self.parameters)
        self._consolidator = Consolidator(vault, encoder, self.parameters.consolidation)
        self._lock = threading.RLock()

    # writing

    def hear(self, conversation: str, utterance: Utterance, *, id: str | None = None) -> Turn:  # noqa: A002
        """Keep an utterance; on disk when this returns. Its vector is made later, at the latest before a recall."""
        heard = replace(utterance, text=_whole(utterance.text))
        with self.vault.transaction():
            turn = self.vault.turns.append(
                conversation, heard, terms=lexical.indexed(heard.text, speaker=heard.speaker), id=id
            )
            if examine(self.vault, turn):
                note_successions(self.vault, turn)
        return turn

    def remember(
        self,
        text: str,
        *,
        time: datetime,
        speaker: str,
        source: Source = Source.NOTE,
        origin: str = "",
        marks: Marks = UNMARKED,
    ) -> Turn:
        """Keep a note of the user, outside any chat, with its vector.

        Parameters
        ----------
        text, time, speaker
            What it says, when, and the user's name.
        source, origin
            For what was read from a file `Source.FILE` and the file's name.
        marks
            What it is given beside its words, or not at all.

        Raises
        ------
        BadInput
            There are no words in it.
        """
        if not text.strip():
            raise BadInput("there is nothing to remember: give some words")
        utterance = Utterance(role=Role.USER, speaker=speaker, text=text, time=time, source=source, origin=origin)
        with self.vault.transaction():
            turn = self.hear(self._notes().id, utterance)
            mark(self.vault, [turn.node], marks)
        self.embed_pending()
        return turn

    def add_batch(self, conversation: str, utterances: Sequence[Utterance]) -> int:
        """Keep many utterances of a conversation with their vectors, all or none. Gives how many."""
        self._renew_terms()
        space = self._space()
        passages = self._embed(utterances)
        with self.vault.transaction():
            for utterance, of_one in zip(utterances, passages, strict=True):
                self.vault.vectors.put(self.hear(conversation, utterance).node, of_one, space=space)
        return len(utterances)

    def embed_pending(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Make the vectors of all nodes that have none in the encoder's space; gives how many. Resumable.

        Nodes have none after a crash, and none has any after another encoder was chosen.
        """
        with self._lock:
            self._renew_terms()
            space = self._space()
            waiting = self.vault.vectors.missing(space, limit=self.vault.turns.count() + self.vault.concepts.count())
            for start in range(0, len(waiting), EMBED_AT_ONCE):
                nodes = self._nodes(waiting[start : start + EMBED_AT_ONCE])
                passages = self._embed(nodes)
                with self.vault.transaction():
                    unchanged = {one.node: one.text for one in self._nodes([node.node for node in nodes])}
                    for node, of_one in zip(nodes, passages, strict=True):
                        if unchanged.get(node.node) == node.text:  # neither forgotten nor revised meanwhile
                            self.vault.vectors.put(node.node, of_one, space=space)
                if progress:
                    progress(min(start + EMBED_AT_ONCE, len(waiting)), len(waiting))
            if self.vault.vectors.current_space() != space:
                self.vault.vectors.finish_space(space)
            return len(waiting)

    def revise(self, id: str, text: str) -> Turn:  # noqa: A002
        """Give a memory new words. The old ones are gone from text, index, vectors and file.

        Raises
        ------
        BadInput
            There are no words in it.
        """
        if not text.strip():
            raise BadInput("a memory needs words: to remove it, use forget")
        with self.vault.transaction():
            turn = self.vault.turns.get(id)
            words, old = _whole(text), self.vault.words_of([turn.node])
            revised = self.vault.turns.revise(turn.id, text=words, terms=lexical.indexed(words, speaker=turn.speaker))
            self.vault.quarantine.lift(revised.node)
            if examine(self.vault, revised):
                note_successions(self.vault, revised)
            begin_epoch(self.vault)
        self.embed_pending()
        self.vault.erase([], revised=old)  # purges the file of the old words; stands in the ledger until it is done
        return revised

    def plan_forgetting(self, selection: Selection | Sequence[str], *, with_answers: bool = False) -> ForgettingPlan:
        """Give all that would go with what is selected, or with the memories that have these ids. Changes nothing."""
        chosen = selection if isinstance(selection, Selection) else Selection(ids=tuple(selection))
        return plan_forgetting(self.vault, chosen, with_answers=with_answers)

    def forget(self, plan: ForgettingPlan, *, now: datetime, grace: timedelta) -> Forgetting | Receipt:
        """Put aside what the plan lists, to be erased when the grace is over, unless `undo` brings it back by then.

        Gives the `Forgetting`, with its id and the time until which it can be undone. Without a grace all is erased at
        once, and the `Receipt` of that is given.
        """
        return forget(self.vault, plan, now=now, grace=grace)

    def erase(self, plan: ForgettingPlan) -> Receipt:
        """Erase what the plan lists, every trace of it in the vault's file, and prove it."""
        return erase(self.vault, plan)

    def undo(self, id: str) -> Forgetting:  # noqa: A002
        """Put back what a forgetting, named by a unique beginning of its id, had put aside; see `vault.forgettings`."""
        return undo(self.vault, id)

    def learn(self, recalled: Sequence[Hit], used: Sequence[Hit], *, now: datetime) -> None:
        """Learn from an answer: what was recalled for it stays awake, what it drew on grows together.

        Inside the transaction that keeps the answer. `recall` itself changes nothing.
        """
        with self.vault.transaction():
            note_recalled(self.vault, {hit.turn.node: hit.score for hit in recalled}, self.parameters.dormancy)
            learn(self.vault, [hit.turn.node for hit in used], now, self.parameters)

    @property
    def consolidation_due(self) -> bool:
        """Whether a window of turns has gathered that was not consolidated. SYNAPSE, section 3.1: N = 5."""
        window = self.parameters.consolidation.window_turns
        return len(self.vault.concepts.pending(Maker.SALIENT, limit=window)) == window

    def consolidate(
        self,
        extractor: Extractor | None = None,
        *,
        now: datetime,
        limit: int | None = None,
        cancel: threading.Event | None = None,
        progress: Callable[[Consolidated], None] | None = None,
    ) -> Consolidated:
        """Make concepts of what was said since the last time, and put to rest what has slept for long.

        Parameters
        ----------
        extractor
            What finds concepts; salient terms by default.
        now, limit, cancel, progress
            As for `Consolidator.run` and `maintain`.

        Raises
        ------
        ModelMissing, ModelNotLoadable
            The extractor's model is not there.
        """
        self.embed_pending()
        chosen = extractor or SalientExtractor(self.vault, self.parameters.consolidation)
        done = self._consolidator.run(chosen, limit=limit, cancel=cancel, progress=progress)
        maintain(self.vault, self.parameters, now)
        return done

    # reading

    def recall(
        self,
        query: str,
        *,
        k: int = 10,
        engine: str | None = None,
        scope: Scope = EVERYTHING,
        now: datetime | None = None,
        make_vectors: bool = True,
    ) -> Recollection:
        """Give the k memories that a question brings back, best first. Changes nothing, but makes missing vectors.

        Parameters
        ----------
        query
            The question, as it was asked.
        k
            How many at most.
        engine
            The way of recalling; the memory's own by default.
        scope
            Which memories are wanted.
        now
            When it is asked; when the latest memory was told, by default.
        make_vectors
            Whether to; those that lack one are found by their words else. Those of another encoder are made anyway.

        Raises
        ------
        BadInput
            The question is empty, k is below 1, or there is no such engine.
        """
        text, name = check(query, k=k), engine or self.engine
        rank = find_engine(name)
        watch = Stopwatch()
        with self._lock:
            latest = self.vault.turns.listing(limit=1)
            if not latest:
                return Recollection(query=query, engine=name, hits=(), searched=0, milliseconds={})
            strange = self.vault.vectors.current_space() != self.encoder.space
            if strange or (make_vectors and not self._active.is_current):
                self.embed_pending()
            moment = scope.as_of or now or latest[0].time
            graph = self._active.load(self.encoder.space, to_columns(moment)[0])
            watch.lap("load")
            question = read_question(text, speakers=graph.speakers, encoder=self.encoder, now=moment)
            watch.lap("encode")
            graph = self._active.with_archived(graph, self.encoder.space, question.terms, question.vector)
        if scope.as_of is not None:
            graph = graph.until(to_columns(scope.as_of)[0])
        watch.lap("load")
        ranking = rank(graph, question)
        newer = superseding(self.vault, graph, ranking)
        ranked = Ranked(graph=graph, question=question, ranking=ranking)
        rows = best(ranking, wanted(graph, ranking, scope), newer, k=k, brought_in=graph.brought_in)
        watch.lap("score")
        found = hits(self.vault, ranked, rows, newer)
        watch.lap("fetch")
        judged = self._judge(ranked, found, text=text, left_out=scope.exclude)
        watch.lap("gate")
        return Recollection(
            query=query,
            engine=name,
            hits=found,
            searched=len(graph.rows),
            concepts=concept_hits(self.vault, graph, question),
            fired=None if ranking.fired is None else int(ranking.fired[: len(graph.rows)].sum()),
            others=frozenset(name for name in question.speakers if graph.speakers.get(name) is Role.OTHER),
            verdict=None if judged is None else _verdict(judged),
            signals={} if judged is None else dict(judged.signals),
            milliseconds=watch.laps,
        )

    def drawn_on(self, told: Sequence[Hit], *, answer: str, question: str) -> tuple[Hit, ...]:
        """Give the memories of a prompt whose own words, not those of the question, come back in the answer."""
        if not told:
            return ()
        with self._lock:
            held = self._active.graph
        if held is None:
            return ()
        lexicon = held.words.lexicon
        said, asked = lexical.terms(answer), lexical.terms(question)
        return tuple(hit for hit in told if drew_on(lexical.terms(hit.turn.text), said, asked, idf=lexicon.idf))

    # how

    def _judge(self, ranked: Ranked, found: Sequence[Hit], *, text: str, left_out: Collection[int]) -> Judgement | None:
        """Give whether the memory holds the answer, by what people told; None without a gate for this encoder."""
        gate = self.parameters.gate
        if gate is None or gate.encoder != self.encoder.space.model:
            return None
        asked = [hit.turn.node for hit in found if only_asks(hit.turn)]
        told = evidence_of(ranked.graph, {*left_out, *asked})
        judged = judge(ranked.graph, ranked.question, ranked.ranking, parameters=gate, text=text, told=told)
        return softened(judged, found)

    def _notes(self) -> Conversation:
        found = self.vault.conversations.find(Source.NOTE, NOTES)
        return found or self.vault.conversations.create(title="Notes", source=Source.NOTE, external_id=NOTES)

    def _space(self) -> EmbeddingSpace:
        """Give the encoder's space: in use at once in a new vault, beside another one only when it is complete."""
        space, vectors = self.encoder.space, self.vault.vectors
        current = vectors.current_space()
        if current != space:
            vectors.begin_space(space)
        if current is None:
            vectors.finish_space(space)
        return space

    def _renew_terms(self) -> None:
        """Make the lexical terms of all turns again when this version of the program makes others."""
        settings, turns = self.vault.settings, self.vault.turns
        if settings.get(TERMS_VERSION) == lexical.VERSION:
            return
        with self.vault.transaction():
            for turn in turns.listing():
                turns.revise_terms(turn.node, lexical.indexed(turn.text, speaker=turn.speaker))
            for concept in self.vault.concepts.listing():
                turns.revise_terms(concept.node, lexical.indexed(concept.text))
            settings.put(TERMS_VERSION, lexical.VERSION)
            begin_epoch(self.vault)

    def _nodes(self, nodes: Sequence[int]) -> list[Turn | Concept]:
        """Give the turns and the concepts of these nodes."""
        return [*self.vault.turns.by_nodes(nodes), *self.vault.concepts.by_nodes(nodes)]

    def _embed(self, told: Sequence[Utterance | Concept]) -> list[list[Passage]]:
        """Give the passages of each text. A vector is that of `speaker: passage`: names carry meaning in a dialogue."""
        spans = [self.encoder.passages(one.text)[:MOST_PASSAGES] for one in told]
        texts = [
            f"{one.speaker}: {one.text[start:stop]}" if isinstance(one, Utterance) else one.text[start:stop]
            for one, of_one in zip(told, spans, strict=True)
            for start, stop in of_one
        ]
        vectors = iter(self.encoder.encode(texts).astype("<f4"))
        return [
            [Passage(start=start, stop=stop, vector=next(vectors).tobytes()) for start, stop in of_one]
            for of_one in spans
        ]


def _verdict(judged: Judgement) -> Verdict:
    return Verdict(outcome=judged.outcome.value, probability=judged.probability, reasons=judged.reasons)


def _whole(text: str) -> str:
    """Give the text with halves of surrogate pairs joined, or shown as U+FFFD when the other half is not there.

    Arguments and files that are not UTF-8 bring them in, and nothing that holds one can be written.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
