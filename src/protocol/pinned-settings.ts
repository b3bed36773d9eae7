/**
 * The settings that a run pins when it is submitted. They are stored in its first event and in the
 * inputs of its commands, so this file declares their form; `src/settings` may change without changing it.
 */
import type { PinnedAblation } from './ablation.ts';
import type { AnswerKind } from './answer.ts';
import type { PinnedBestOf } from './best-of.ts';
import type { PinnedFeature } from './feature.ts';
import type { PinnedPlanning } from './planning.ts';
import type { FailureReason } from './failure-reason.ts';
import type { LongLivedSettings } from './long-lived-agent.ts';
import type { PinnedSteering } from './contracts/steering-contract.ts';
import type { PinnedWorkflow } from './workflow-definition.ts';
import type { StepConversation, WorkPoint } from './contracts/workflow-contract.ts';

/** An agent as a user configured it. */
export type AgentSpec = {
  readonly id: string;
  readonly cli: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables whose values are never stored. They are looked up when the agent starts. */
  readonly secrets?: readonly string[];
  /** What the shell of its command gave it to log in with. Absent: it calls no model. */
  readonly given?: GivenVariables;
  /** A hash of its keys and addresses. It distinguishes two accounts of one provider. */
  readonly account?: string;
  /** A project defines it or adds to its arguments: it never runs without a sandbox. */
  readonly fromProject?: true;
  /** True: a scripted agent of a test, which works in the project itself. False: it works in a copy in any case. */
  readonly inProject?: boolean;
  readonly model?: string | null;
  readonly configDir?: string | null;
  /** The command line of a custom agent, with its placeholders. */
  readonly command?: readonly string[] | null;
  /** The command line that continues a conversation. Without it the agent cannot continue one. */
  readonly resumeCommand?: readonly string[];
  /** Files of a custom agent, by their path in its home, with their placeholders. */
  readonly files?: Readonly<Record<string, string>>;
  readonly output?: CustomOutput | null;
};

/** Variables by name. Their values are in the memory of the owner that was given them, and nowhere else. */
export type GivenVariables = {
  readonly names: readonly string[];
  /**
   * A hash of the values. Another owner may use its own variables only if they are the same. Null: the command gave
   * none, and the owner's own variables count.
   */
  readonly digest: string | null;
};

/** The output format of a custom agent: plain text, one JSON value at its end, or one per line. */
export type CustomOutput = {
  readonly format: 'text' | 'json' | 'jsonl';
  /** Dotted paths into that JSON. */
  readonly result?: string | null;
  readonly usage?: string | null;
  readonly session?: string | null;
  readonly error?: string | null;
  /** Paths in the object at `usage`, if its names differ from ours. */
  readonly usageFields?: Readonly<Partial<Record<'input' | 'output' | 'cached' | 'cost', string>>>;
  /** A line of either stream, with `{session}` in place of the id. */
  readonly sessionLine?: string;
};

/** What a role gives its agent. The prompt is stored once, under its hash, and not in every event. */
export type PinnedBrief = {
  readonly role: string;
  /** Of the prompt. */
  readonly hash: string;
  readonly answer: AnswerKind;
  /** Null: all tools of its CLI. */
  readonly allowedTools: readonly string[] | null;
};

/** Which agent starts: the first of the list, the next in turn, or the one that was used least. */
export type ChainOrder = 'as-listed' | 'round-robin' | 'least-used';

export type PinnedSandbox = {
  readonly backend: 'auto' | 'bubblewrap' | 'docker' | 'podman' | 'seatbelt' | 'none';
  readonly image: string | null;
  readonly pull: 'never' | 'missing' | 'always';
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly pids: number;
  readonly diskBytes: number;
  readonly tmpBytes: number;
  readonly mounts: readonly {
    readonly from: string;
    readonly to: string;
    readonly mode: 'ro' | 'rw';
  }[];
  /** A file of the user by its path, or a file of the project by its text. */
  readonly preflight: readonly (string | { readonly name: string; readonly text: string })[];
  /** `host:port`, each in its canonical form. */
  readonly hosts: readonly string[];
  readonly grants: {
    readonly toolchains: readonly string[];
    readonly files: readonly string[];
    readonly gitIdentity: { readonly name: string; readonly email: string } | null;
  };
};

type PinnedGateway = {
  readonly limitPatienceMs: number;
  readonly outagePatienceMs: number;
  readonly callsPerProject: number;
  readonly silenceMs: number;
  readonly requestBytesMax: number;
  readonly recordBytesMax: number;
  readonly privateHosts: readonly string[];
  readonly serverTools: readonly (
    | 'web_search'
    | 'web_fetch'
    | 'code_execution'
    | 'file_search'
    | 'image_generation'
    | 'mcp'
    | 'urls'
    | 'files'
  )[];
  readonly prices: readonly {
    readonly model: string;
    readonly input: number;
    readonly output: number;
    readonly cached?: number;
    readonly cacheWrite?: number;
    readonly outputMax?: number;
    readonly contextMax?: number;
  }[];
};

type PinnedCaps = {
  readonly tokens: number | null;
  readonly usd: number | null;
  readonly calls: number | null;
  readonly wallMs: number | null;
};

type PinnedBudget = {
  readonly run: PinnedCaps;
  readonly project: PinnedCaps;
  readonly tree: PinnedCaps;
};

type PinnedRecovery = {
  readonly preset:
    | 'fallback-first'
    | 'retry-then-fallback'
    | 'step-feedback'
    | 'supervised-restart';
  /** Null: the preset decides; the same for `attemptsMax`. */
  readonly retriesPerAgent: number | null;
  readonly attemptsMax: number | null;
  readonly cooldownMs: number;
  readonly waitForReset: boolean;
  readonly waitMaxMs: number;
  /** False: the run ends where it would ask a person. Absent: it asks. */
  readonly ask?: boolean;
};

export type PinnedGate = {
  readonly name: string;
  readonly command: readonly string[];
  readonly timeoutMs: number;
  /** An advisory gate: a failure is reported and does not fail the run, and a pass proves nothing. */
  readonly warns?: boolean;
  /** A failure ends the run as blocked: no agent tries again. */
  readonly blocks?: boolean;
  /** A failure is put to a person: try again, accept the work as it is, or stop. */
  readonly asks?: boolean;
  /** How a failure is shown; absent: as an error. */
  readonly severity?: 'warning' | 'info';
  /** Names of gates. The gate is skipped if one of them is red. */
  readonly dependsOn?: readonly string[];
  /** It runs all the same if one of them is red. */
  readonly runsAfterRed?: boolean;
  /** The folder that the command starts in, relative to the project. */
  readonly workingDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Globs. The gate is red if it changes any other file of its tree; absent: it may change all. */
  readonly allowedWrites?: readonly string[];
  /** A file in which it reports its tests, or `stdout` for TAP there. */
  readonly report?: string;
  /** A file that it writes, and the least coverage of lines, in percent. */
  readonly coverage?: {
    readonly file: string;
    readonly format: 'lcov' | 'cobertura';
    readonly min: number;
    readonly changedMin?: number;
  };
  /** `block`: the run ends as blocked if the work changes a protected file. Absent: such files are only listed. */
  readonly protect?: 'block';
  /** Whether it has to notice a mutant of the work: `block` makes it red if it notices none. Absent: none is tried. */
  readonly prove?: 'report' | 'block';
  /** It may run at the same time as other such gates beside it. */
  readonly parallelSafe?: boolean;
  /** How long its result is used again for the same files and environment; absent: never. */
  readonly cacheMs?: number;
  /** Globs of the only files whose content decides whether it is used again; absent: all files do. */
  readonly cacheInputs?: readonly string[];
  readonly memoryBytes?: number;
  readonly cpus?: number;
  /** A pass counts as proof even if files of the work can influence the verdict. */
  readonly acceptsUnprotected?: boolean;
  /** Tests are judged as the work has them. */
  readonly testsMayChange?: boolean;
  /** False: the exit code alone decides, and tests are not counted. */
  readonly count?: boolean;
};

export type PinnedSetup = {
  readonly command: readonly string[];
  readonly inputs: readonly string[];
  readonly network: readonly string[];
  readonly timeoutMs: number;
};

type PinnedCapacity = { readonly runsMax: number; readonly perAgentMax: number };

/** A user's own rule for what the end of an attempt means. */
export type PinnedRule = {
  readonly id: string;
  readonly cli: string | null;
  readonly reason: FailureReason;
  readonly pattern: string | null;
  readonly exitCodes: readonly number[];
};

/** Everything that the attempts of a run need. */
export type AttemptSettings = {
  readonly agent: AgentSpec;
  /** All agents that the run may use. Absent for a long-lived agent, which has that one; the same for the next two. */
  readonly chain?: readonly AgentSpec[];
  readonly order?: ChainOrder;
  readonly fallbacks?: Readonly<Record<string, string>>;
  readonly recovery: PinnedRecovery;
  /** One attempt and no recovery. */
  readonly once?: boolean;
  /** A person has its first attempt in their terminal. */
  readonly interactive?: boolean;
  /** Agents that are cooling down because of other runs are tried all the same. */
  readonly ignoreCooldown?: boolean;
  readonly gates?: readonly PinnedGate[];
  /** Every gate runs once on the base before the first attempt. Absent: none does. */
  readonly baseline?: boolean;
  /** How long an agent that is asked to exit may take before it is killed. */
  readonly graceMs: number;
  readonly deadlineMs: number | null;
  /** How often an interrupted attempt starts again before a person must look. */
  readonly interruptionsMax: number;
  readonly outputBytesMax: number;
  readonly sandbox: PinnedSandbox;
  readonly gateway: PinnedGateway;
  readonly budget: PinnedBudget;
  /** Absent: the defaults. */
  readonly steering?: PinnedSteering;
  readonly setup: PinnedSetup | null;
  /** How many runs of its project, and of one agent, may exist for this one to start. */
  readonly capacity: PinnedCapacity;
  readonly rules: readonly PinnedRule[];
  /** The user has disabled the sandbox. */
  readonly unsafe?: boolean;
  readonly brief?: PinnedBrief;
  /** The work of an earlier step of its workflow: its workspace starts with that work, on the same base. */
  readonly startsFrom?: WorkPoint;
  /** The conversation of an earlier step that its first attempt continues, with what it reads there. Absent: none. */
  readonly continues?: StepConversation & { readonly prompt: string };
  /** Files that it must not change: other components build on them at the same time. Absent: none. */
  readonly locked?: readonly string[];
};

/** A long-lived agent pins its own settings beside those of its attempts. */
export type AgentRunSettings = AttemptSettings & { readonly longLived: LongLivedSettings };

/** A workflow pins its steps and their roles beside the settings of its project. */
export type WorkflowRunSettings = AttemptSettings & { readonly workflow: PinnedWorkflow };

/** A comparison of workflows pins both of them. */
export type AblationRunSettings = AttemptSettings & { readonly ablation: PinnedAblation };

/** The run of a feature pins its components and their workflows. */
export type FeatureRunSettings = AttemptSettings & { readonly feature: PinnedFeature };

/** A run that plans a feature pins its roles in the form of a workflow. */
export type PlanningRunSettings = WorkflowRunSettings & { readonly planning: PinnedPlanning };

/** A run that lets several agents do its task pins all of them. */
export type BestOfRunSettings = AttemptSettings & { readonly bestOf: PinnedBestOf };
