/** The long-lived agents, as far as the monitors need them. They watch, and they send signals. */
import type { RunId } from '../../base/ids.ts';
import type { AgentStatus } from '../../agents/agent-status.ts';
import type { Signal } from '../../protocol/event.ts';
import type { LongLivedSettings } from '../../protocol/long-lived-agent.ts';
import type { Exit } from '../../supervision/index.ts';

export type LivingAgent = {
  readonly run: RunId;
  readonly settings: LongLivedSettings;
  readonly standing: AgentStatus;
  readonly project: string;
};

export type MonitoredAgents = {
  readonly living: () => readonly LivingAgent[];
  /** One of them, or one whose body still lies there. Undefined: it is no long-lived agent. */
  readonly get: (run: RunId) => LivingAgent | undefined;
  /** Resolves when it is durable. Refuses an agent whose run has ended. */
  readonly signal: (run: RunId, signal: Signal) => Promise<void>;
  /** Tells of the end of each life; returns how to leave. */
  readonly onExit: (listener: (run: RunId, exit: Exit) => void) => () => void;
  /** What is said at the agent's place in the tree. */
  readonly note: (run: RunId, words: string) => void;
};
