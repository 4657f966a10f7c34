"""Every number of the memory, with its unit, its range and where it comes from."""

from dataclasses import dataclass

from assistant.memory.gate_parameters import MINILM_GATE, GateParameters


@dataclass(frozen=True, slots=True, kw_only=True)
class HebbianParameters:
    """How edges strengthen and loosen. HeLa-Mem, section 3.2 and Eq. 1."""

    rate: float = 0.02
    """eta: what one use together adds to an edge. Above 0 to 1; HeLa-Mem: 0.02."""
    retention_a_day: float = 0.995
    """What is left of a weight after a day without use: half of it after 138 days. 0 to 1. Printed as
    lambda = 0.995 in (1 - lambda), which would leave 0.005."""
    most_together: int = 10
    """Memories of one answer whose edges strengthen, the best first: 45 pairs. 2 and up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DormancyParameters:
    """Which memories sleep and which leave the graph. SYNAPSE, section 3.1, and the base level of ACT-R."""

    epsilon: float = 0.01
    """Share of the best score from which a recalled memory counts as active. 0 to 1; SYNAPSE: 0.01."""
    windows: int = 10
    """W: consolidations that pass in silence before a memory is dormant. 1 and up; SYNAPSE: 10."""
    floor_nodes: int = 2_000
    """Turns that stay in the graph even when all are dormant. 0 to `active_nodes`: such a graph is searched in
    milliseconds, so that there is nothing to gain below it."""
    level_decay: float = 0.5
    """d of ACT-R: how fast a use stops counting. Above 0; 0.5 fits human memory and is the usual value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionParameters:
    """What becomes knowledge, and what fades. HeLa-Mem, section 3.3."""

    hub_degree: float = 0.5
    """delta_hub: weighted degree above which a memory is a hub. Above 0; 25 uses together with one other memory each,
    or fewer with several at once. The paper gives no number."""
    regrowth: float = 1.5
    """Factor by which the degree of a hub has to grow before it is distilled again. 1 and up."""
    cluster_size: int = 8
    """Memories that are distilled together, the hub included. 2 and up; among many a small model mixes them up."""
    least_confidence: float = 0.6
    """Share of an entry's words that its evidence has to hold. 0 to 1."""
    most_entries: int = 6
    """Entries from one cluster. 1 and up."""
    entry_characters: int = 160
    """Longest entry."""
    entry_tokens: int = 768
    """Tokens the model may write for one cluster. 100 and up."""
    turn_characters: int = 600
    """What the model reads of one turn. 100 and up."""
    prune_weight: float = 1.0
    """delta_prune: total weight below which a memory hangs loosely: it supports one concept (0.8) or none, and was
    hardly ever used with others. Above 0."""
    prune_age_days: float = 90.0
    """delta_age: no memory fades that came in, or was used, within this time. 0 and up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidationParameters:
    """How what was said becomes concepts. SYNAPSE, Algorithm 1, where nothing else is named."""

    window_turns: int = 5
    """N: turns of one window. For the language model people's turns only are counted, and read. 1 to 20."""
    batch_turns: int = 500
    """Turns whose salient terms are committed together: what an interruption costs. 1 and up."""
    fewest_turns: int = 2
    """Turns that say a term before it is a concept. 2 and up."""
    most_turns_share: float = 0.05
    """Share of all turns above which a term tells nothing. 0 to 1."""
    most_turns_floor: int = 4
    """Turns that may say a term in any case, so that a small vault has concepts, too. `fewest_turns` and up."""
    term_characters: int = 4_000
    """What is read of one turn for its terms. 100 and up."""
    lookback_turns: int = 50
    """Earlier turns looked at for who said a new term before. 1 and up."""
    duplicate_cosine: float = 0.92
    """Above it two facts are one, unless a name, number, date or negation differs. 0 to 1; Algorithm 1, line 14."""
    duplicate_share: float = 0.1
    """What a repetition moves a concept's vector towards itself (EMA, line 15). 0 to 1; the paper names none."""
    association_cosine: float = 0.5
    """From here on two concepts are associated. 0 to 1. Line 25 prints 0.92, above which there are only duplicates."""
    association_degree: int = 15
    """K: associations of one concept at most, the strongest. 0 and up; section 3.1."""
    turn_characters: int = 600
    """What the model reads of one turn. 100 and up."""
    most_facts: int = 5
    """Facts the model may give of one window. 1 to 10."""
    subject_characters: int = 40
    fact_characters: int = 160
    """Longest subject and fact. They bound what the model can write, together with the next."""
    fact_tokens: int = 768
    """Tokens the model may write for one window. 100 and up."""
    fact_coverage: float = 0.5
    """Share of a fact's words that the turns it names must hold. 0 to 1."""
    fact_cosine: float = 0.4
    """Lowest cosine of a fact and the nearest of these turns. -1 to 1."""
    most_failures: int = 3
    """Windows in a row at which the model may fail before a run ends. 1 and up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SynapseParameters:
    """Numbers of the engine `synapse`; the defaults are those of the paper (arXiv 2601.02744)."""

    anchors: int = 10
    """Anchors of each trigger, so at most twice as many: Eq. 1. The paper gives no number. 1 and up."""
    anchor_energy: float = 1.0
    """alpha, Eq. 1: factor on the cosine of an anchor. Above 0."""
    decay: float = 0.5
    """delta, Eq. 2: share of its activation that a node loses in a step. 0 to 1."""
    share: float = 0.8
    """S, Eq. 2: what a step passes on. 0 to 1; 0 is recall without a graph."""
    steps: int = 3
    """T: steps of Eq. 2 to 4. 0 to 10."""
    fan_power: float = 1.0
    """Power of the fan by which an edge is divided, Eq. 2. 1 as printed, 0 is without the fan effect."""
    inhibition: float = 0.15
    """beta, Eq. 3: how much each stronger one of the strongest takes from a node. 0 (without) and up."""
    inhibitors: int = 7
    """M, Eq. 3: how many of the strongest nodes inhibit the others. 1 and up."""
    spares_anchors: bool = True
    """Whether inhibition leaves an anchor what it holds as a direct hit. The paper: no, see its figure 4."""
    steepness: float = 5.0
    """gamma, Eq. 4. Above 0."""
    threshold: float = 0.5
    """theta, Eq. 4: potential at which a node fires at half its rate. 0 and up."""
    cosine_weight: float = 0.5
    """lambda 1, Eq. 5. 0 and up."""
    activation_weight: float = 0.3
    """lambda 2, Eq. 5. 0 and up."""
    prior_weight: float = 0.2
    """lambda 3, Eq. 5. 0 and up; the paper finds 0.1 to 0.3 alike."""
    damping: float = 0.85
    """PageRank: share of walks that go on along an edge. 0 to below 1; the usual number, the paper gives none."""
    abstraction_weight: float = 0.8
    """Weight of the edges between a concept and the turns of its windows, algorithm 1. Above 0 to 1."""
    association_cosine: float = 0.92
    """Concepts above it are associated, algorithm 1. 0 to 1."""
    incoming: int = 15
    """K: edges that lead to a node, at most; neighbours in time and support stay even beyond it. 1 and up."""
    window: int = 5
    """N: turns of one consolidation; a concept is joined with all turns of its windows. 1 and up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HelaParameters:
    """Numbers of the engine `hela`; the defaults are those of the paper (arXiv 2604.16839), section 4.1.

    How its weights are learned stands in `HebbianParameters`.
    """

    keyword_weight: float = 0.5
    """alpha, Eq. 3: weight of the share of the question's words that a turn holds. 0 and up."""
    days: float = 60.0
    """tau, Eq. 3: age in days at which a turn counts 1/e. Above 0."""
    share: float = 0.1
    """beta, Eq. 4: what the hop passes on. 0 to 1."""
    least_cosine: float = 0.2
    """theta: from this cosine on a turn passes on what it has. -1 to 1. The paper's 0.6 is meant for (cos + 1) / 2."""
    neighbour_weight: float = 0.1
    """Weight of the edge of consecutive turns before anything was learned. 0 to 1. The paper: small."""
    episodic: int = 10
    """k, Eq. 5: turns by their base score. 1 and up."""
    lifted: int = 5
    """m, Eq. 5: turns beside them that the hop lifted highest. 0 and up."""
    semantic: int = 5
    """k of the semantic memory. 0 and up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SynapticParameters:
    """Numbers of the engine `synaptic`; the defaults are calibrated, `PUBLISHED_SYNAPTIC` holds the paper's.

    Time is counted in turns. Eq. 16 turns a stimulus s into a current s / tau, so that a neuron at rest rises to
    s / (e tau) at most: the threshold is of that size.
    """

    least_cosine: float = 0.262
    """cos_th, Eq. 10: nodes above it can stimulate each other. -1 to 1."""
    least_stimulus: float = 0.037
    """stim_th, Eq. 9: what a node must have received to pass it on. 0 and up."""
    stimulus_scale: float = 0.46
    """P_scale, appendix C: factor on every propagation score. Above 0."""
    time_constant: float = 43.07
    """tau_init, Eq. 1 and 18, before its scale. Above 0."""
    time_constant_scale: float = 2.704
    """tau_scale, appendix C. Above 0."""
    time_scale: float = 30.0
    """t_scale, appendix C: units of time in a turn. Above 0. The paper's 7.93 draws a question to the last fifteen
    turns, 30 to the last four, which on dialogue brought more of the evidence back."""
    threshold: float = 0.00039
    """V_th: membrane potential at which a neuron fires. Above 0. So chosen that ten memories fire for a question, the
    mean of three conversations of LoCoMo."""
    rest_potential: float = 0.0
    """V_rest: potential after firing. Below the threshold, or firing would not end it."""
    rest_current: float = 0.0
    """I_rest: current after firing."""
    spikes: int = 16
    """How many spikes of a node are aligned with those of another, the last ones. 1 and up."""
    exact: bool = False
    """Whether every parent looks for its own children, O(n^2), or one centroid for all of a layer: appendix D, O(n)."""


PUBLISHED_SYNAPTIC = SynapticParameters(time_scale=7.93, threshold=0.0997, rest_potential=2.90, rest_current=-7.13)
"""SynapticRAG, table 4 and section 4.4. The rest lies above the threshold, so that whether a neuron fires hardly
depends on its stimulus."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociativeParameters:
    """Numbers of the default engine, chosen on three conversations.

    Each stands on a plateau: half or twice as much changes the share of evidence found by less than 0.015.
    """

    cosine_weight: float = 0.8
    """Weight of the z-scored cosine of the whole question. 0 and up."""
    core_weight: float = 0.5
    """The same for its core, without function words and names of speakers. 0 and up."""
    bm25_weight: float = 0.6
    """Weight of the z-scored BM25 of the core terms. 0 and up."""
    function_weight: float = 0.3
    """The same for function words: "how long" also stands where it was asked before. 0 and up."""
    session_weight: float = 0.3
    """Weight of the z-scored BM25 of the whole session in the energy of each of its turns. 0 to 1."""
    concept_weight: float = 0.15
    """Weight of what comes from concepts near the question. 0 and up."""
    concept_anchors: int = 20
    """Concepts that may lend energy for one question. 0 and up."""
    concept_least_cosine: float = 0.25
    """Cosine from which a concept is near. -1 to 1."""
    person_factor: float = 1.15
    """Factor on the energy of turns of a person whom the question asks about. 1 and up."""
    person_prior: float = 5.0
    """What their turns get beside their activation, at most. 0 and up."""
    person_prior_half: float = 1.0
    """Activation at which they get half of it. Above 0."""
    time_energy: float = 3.0
    """Energy of turns from the time that the question names. 0 and up."""
    time_slack_days: float = 3.0
    """How long after that time people still tell of it. 0 and up."""
    spread_share: float = 0.6
    """S of SYNAPSE, Eq. 2: what a step passes on. 0 to 1; 0 is recall without a graph."""
    spread_steps: int = 4
    """T of SYNAPSE. 0 to 10."""
    abstraction_share: float = 0.2
    """Weight of the edges of concepts beside those of time, each kind divided by its own fan. 0 to 1."""
    association_share: float = 0.0
    """The same for edges between concepts."""
    learned_share: float = 1.0
    """The same for Hebbian weights."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Frozen; a different setting is a different object."""

    k1: float = 1.2
    """BM25: how soon a repeated term stops counting. 0 to 3; 1.2 was best on dialogue, 1.5 is the library's default."""
    b: float = 0.6
    """BM25: how much a long turn is held against it. 0 to 1; 0.6 was best on dialogue."""
    background_cosine: float = 0.1
    """Mean cosine of a question and an unrelated turn, MiniLM. -1 to 1."""
    background_cosine_deviation: float = 0.1
    """Its standard deviation. Above 0."""
    background_bm25_share: float = 0.1
    """Standard deviation of BM25 between unrelated texts, as a share of the question's whole idf. Above 0 to 1."""
    background_weight: float = 20.0
    """How many unrelated turns the background stands for: it steadies the scores of a memory of a few turns.
    0 and up."""
    session_gap_hours: float = 6.0
    """A pause longer than this begins a new session of a conversation. Above 0."""
    temporal_decay: float = 0.01
    """rho of SYNAPSE: w = exp(-rho |days|) between neighbours in time. Per day, 0 and up."""
    active_nodes: int = 10_000
    """Most nodes held in memory, the latest; the others are found through the indexes on disk. SYNAPSE: 10,000."""
    archive_hits: int = 50
    """Nodes taken from each index on disk for one question. 1 to 4,096."""
    archive_reach: int = 3
    """Neighbours in time, on both sides, that come with a node from disk. 0 and up."""
    associative: AssociativeParameters = AssociativeParameters()
    """Of the default engine."""
    hebbian: HebbianParameters = HebbianParameters()
    dormancy: DormancyParameters = DormancyParameters()
    reflection: ReflectionParameters = ReflectionParameters()
    consolidation: ConsolidationParameters = ConsolidationParameters()
    synapse: SynapseParameters = SynapseParameters()
    """Of the engine `synapse`."""
    hela: HelaParameters = HelaParameters()
    """Of the engine `hela`."""
    synaptic: SynapticParameters = SynapticParameters()
    """Of the engine `synaptic`."""
    gate: GateParameters | None = MINILM_GATE
    """How sure the memory is that it holds an answer; None: without a gate."""
