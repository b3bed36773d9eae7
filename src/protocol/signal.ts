/** The signals to a run: those that a person may send, and those that only the owner sends to a long-lived agent. */
import { z } from 'zod';
import { Trigger } from './agent-rules.ts';
import { PERSON_NAME_MAX } from './words/accepted-gate.ts';
import { ApprovalDecision } from './approval.ts';
import { PageChannel } from './dashboard-access.ts';
import { MESSAGE_MAX } from './long-lived-agent.ts';
import { RunMessage } from './run-message.ts';

const BECAUSE_MAX = 2000;
const NAME_MAX = 100;

/** The signals that a person may send to any run. */
export const PersonSignal = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('stop') }),
  z.strictObject({ kind: z.literal('kill') }),
  z.strictObject({ kind: z.literal('retry-now') }),
  /** Let the next agent of the chain continue. */
  z.strictObject({ kind: z.literal('next') }),
  /** Until `unpause`, only questions begin and no model is called. A stop, a kill or a dismissal overrides it. */
  z.strictObject({ kind: z.literal('pause') }),
  z.strictObject({ kind: z.literal('unpause') }),
  /** About the merge queue of a feature. Other runs ignore it. */
  z.strictObject({
    kind: z.literal('merge-queue'),
    action: z.enum(['hold', 'release', 'skip']),
    /** The id of a component. Null: the whole queue. */
    component: z.string().max(NAME_MAX).nullable(),
  }),
  z.strictObject({
    kind: z.literal('answer'),
    key: z.string(),
    answer: z.string(),
    /** By how much a spent budget in US dollars is raised, if the answer is to continue. */
    budgetUsd: z.number().positive().exactOptional(),
    /** By how much a spent budget in tokens is raised, or the cap on all tokens if a price is unknown. */
    budgetTokens: z.int().positive().exactOptional(),
    /** To a question about an approval. The owner has checked it. */
    decision: ApprovalDecision.exactOptional(),
    /** Whose account the answer came from. The owner knows it. */
    person: z.string().max(PERSON_NAME_MAX).exactOptional(),
    /** The page on which the person answered. The owner knows it. */
    channel: PageChannel.exactOptional(),
  }),
]);
export type PersonSignal = z.infer<typeof PersonSignal>;

const because = z.string().max(BECAUSE_MAX);

/**
 * The signals that only the owner sends, and only to a long-lived agent: for its supervisor, its parent, a
 * monitor or a person. Other runs ignore them.
 */
export const AgentSignal = z.discriminatedUnion('kind', [
  /** Its supervisor starts life n. Any number but the next one is ignored. */
  z.strictObject({ kind: z.literal('start-life'), life: z.int().positive() }),
  /** Its supervisor ends this life because of a sibling or an update. The work is kept. */
  z.strictObject({ kind: z.literal('end-life'), because }),
  /** It has used up its restarts. */
  z.strictObject({ kind: z.literal('restarts-exhausted'), because }),
  /** A person or its parent dismisses it. */
  z.strictObject({ kind: z.literal('dismiss'), because }),
  z.strictObject({
    kind: z.literal('message'),
    /** The name of an agent; null: a person. */
    from: z.string().max(NAME_MAX).nullable(),
    text: z.string().max(MESSAGE_MAX),
    /** The current turn is cancelled for it. */
    urgent: z.boolean().exactOptional(),
  }),
  z.strictObject({ kind: z.literal('trigger'), trigger: Trigger }),
  /** An issue for its parent, the root or a person. */
  z.strictObject({
    kind: z.literal('issue'),
    issue: z.strictObject({
      kind: z.string().max(NAME_MAX),
      what: because,
      choices: z.tuple([z.string().max(NAME_MAX)], z.string().max(NAME_MAX)),
      /** Other agents can't settle it: a person is asked at once. */
      direct: z.boolean().exactOptional(),
    }),
  }),
  /** It broke a rule. This only records the violation: the reaction is another signal. */
  z.strictObject({
    kind: z.literal('violation'),
    rule: z.string().max(NAME_MAX),
    action: z.enum(['log', 'notify', 'pause', 'reap', 'warn']),
    what: because,
    /** How often it broke this rule, as far as this owner knows. Not every violation has its own signal. */
    times: z.int().positive(),
  }),
]);

export type AgentSignal = z.infer<typeof AgentSignal>;

/** The signals that only the engine sends: a run that is paused or unpaused does the same with the runs that it started. */
const ParentSignal = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('pause'), by: z.literal('parent').exactOptional() }),
  z.strictObject({ kind: z.literal('unpause'), by: z.literal('parent').exactOptional() }),
]);

/** A message to the agent of a run. Only the owner sends it: it says what wrote the message. */
const TellSignal = z.strictObject({ kind: z.literal('tell'), message: RunMessage });

/** A person at a terminal takes the agent over. Only the owner sends it: it knows that there is a terminal. */
const TakeoverSignal = z.strictObject({
  kind: z.literal('takeover'),
  /** They want a shell in the sandbox instead of the agent's own program. */
  shell: z.literal(true).exactOptional(),
});

/** The signals for the attempts of a run that neither people nor pages send by themselves. */
const OwnerSignal = z.discriminatedUnion('kind', [TellSignal, TakeoverSignal]);

export const Signal = z.union([PersonSignal, AgentSignal, ParentSignal, OwnerSignal]);
export type Signal = z.infer<typeof Signal>;

const PERSON_KINDS: ReadonlySet<string> = new Set(
  PersonSignal.options.map(({ shape }) => shape.kind.value),
);

const OWNER_KINDS: ReadonlySet<string> = new Set(
  OwnerSignal.options.map(({ shape }) => shape.kind.value),
);

export function isAgentSignal(signal: Signal): signal is AgentSignal {
  return !PERSON_KINDS.has(signal.kind) && !OWNER_KINDS.has(signal.kind);
}

export function isParentSignal(signal: Signal): signal is z.infer<typeof ParentSignal> {
  return 'by' in signal;
}

/** A pause does not hold back a run that must end. */
export function endsPause({ kind }: Signal): boolean {
  return kind === 'unpause' || kind === 'stop' || kind === 'kill' || kind === 'dismiss';
}
