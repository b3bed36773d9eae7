/**
 * What we must know about one agent CLI. An adapter starts nothing and waits for nothing: it says
 * which command to run, what a line of output means, and what an end means. All three are total: a
 * line that it can't read is noise, never an exception.
 */

/** An agent as a user configured it. */
export type AgentSpec = {
  readonly id: string;
  readonly cli: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

/** What one attempt asks of an agent. */
export type Brief = {
  readonly agent: AgentSpec;
  readonly prompt: string;
  /** The Node that runs us, for agents that are programs of ours. */
  readonly node: string;
};

export type Invocation = {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Given whole, then closed. Empty: the agent's stdin is empty from the start. */
  readonly stdin: string;
};

export type AgentEvent =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'used-tool'; readonly tool: string }
  | { readonly kind: 'concluded'; readonly summary: string }
  | { readonly kind: 'noise' };

/** How the agent's process ended. */
export type Exit =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'not-started'; readonly code: string; readonly message: string };

/** What the agent's own words and its exit say of its work; nobody has checked it yet. */
export type Verdict =
  | { readonly kind: 'done'; readonly summary: string }
  | { readonly kind: 'died'; readonly message: string };

export interface AgentAdapter {
  readonly cli: string;
  command(brief: Brief): Invocation;
  read(line: string): AgentEvent;
  /** `last` is the newest `concluded` event, if the agent spoke one. */
  conclude(exit: Exit, last: AgentEvent | undefined): Verdict;
}
