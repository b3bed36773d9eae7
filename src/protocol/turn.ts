/** The record of an agent's turns: what the model asked for, and what became of it. Every text in it is bounded. */

/** What kind of error a tool reported. `execution`: any other, such as an exit code. */
export const TOOL_ERRORS = [
  'timeout',
  'not-found',
  'permission',
  'syntax',
  'network',
  'resource',
  'dependency',
  'execution',
] as const;
export type ToolError = (typeof TOOL_ERRORS)[number];

/** A tool call that the model requested. */
export type TurnCall = {
  readonly tool: string;
  /** A hash. It is equal for calls of one tool whose normalised arguments are equal. */
  readonly signature: string;
  /** Its command or its files. Absent: it names neither. */
  readonly subject?: string;
};

/** A tool call with its result. */
export type TurnStep = TurnCall & {
  /** The provider's id of the call. Some providers use an id again. */
  readonly id: string;
  /** Absent: it succeeded. */
  readonly error?: ToolError;
  /** The beginning of the error. */
  readonly errorText?: string;
  /** A hash of its normalised output. Absent: the output is not known. */
  readonly output?: string;
  /** The files that it wrote, as the agent named them. Absent: none. */
  readonly writes?: readonly string[];
  /** It waits for something else, such as a build. */
  readonly waits?: true;
  /** It asks how something outside of the work is, which may change without the agent. */
  readonly outside?: true;
  /** It leaves something running that will end, such as a build. */
  readonly starts?: true;
  /** It sets the agent's plan: how many of its items have ended. */
  readonly plan?: PlanCount;
  /** It ends one item of a plan whose other items it does not name. */
  readonly endsItem?: true;
  /** How many tests fail, if its output counts them. */
  readonly failing?: number;
};

export type PlanCount = { readonly done: number; readonly total: number };

/** `sub`: a subagent, whose turns are a separate conversation. */
export type ConversationKind = 'main' | 'sub';

/** One exchange of a conversation with the model. A request that was retried is the same turn. */
export type TurnRecord = {
  readonly conversation: string;
  readonly kind: ConversationKind;
  /** Counts from 1 within its attempt and conversation. */
  readonly number: number;
  readonly model: string;
  /** The steps that ended since the previous turn. */
  readonly steps: readonly TurnStep[];
  /** What the model requests now. Empty: this answer ends its work. */
  readonly calls: readonly TurnCall[];
  /** The beginning of what it says. */
  readonly text: string;
  /** The tokens that the model has read: how full its context is. Null: not known; the same for the next two. */
  readonly contextTokens: number | null;
  readonly contextTokensMax: number | null;
  readonly outputTokens: number | null;
  readonly stop: string | null;
};

/** The bounds of a record: a model chooses the lengths, and the journal keeps them. */
export const TURN_BOUNDS = {
  itemsMax: 20,
  nameCharsMax: 100,
  subjectCharsMax: 160,
  errorCharsMax: 150,
  textCharsMax: 300,
  writesMax: 5,
} as const;

/** Recorded while an attempt runs. */
export type TurnNote = { readonly kind: 'turn'; readonly turn: TurnRecord };
