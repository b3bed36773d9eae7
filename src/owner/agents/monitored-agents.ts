/** The interface through which monitors see long-lived agents and send them signals. */
import type { RunId } from '../../base/ids.ts';
import type { AgentStatus } from '../../agents/agent-status.ts';
import type { Signal } from '../../protocol/signal.ts';
import type { LongLivedSettings } from '../../protocol/long-lived-agent.ts';
import type { Exit } from '../../supervision/index.ts';

export type MonitoredAgent = {
  readonly run: RunId;
  readonly settings: LongLivedSettings;
  readonly status: AgentStatus;
  readonly project: string;
};

export type MonitoredAgents = {
  readonly living: () => readonly MonitoredAgent[];
  /** Also returns an agent that has ended. Undefined if the run is not a long-lived agent. */
  readonly get: (run: RunId) => MonitoredAgent | undefined;
  /** Resolves when the signal is durable. Refuses an agent whose run has ended. */
  readonly signal: (run: RunId, signal: Signal) => Promise<void>;
  /** Calls the listener at the end of each life. Returns a function that removes the listener. */
  readonly onExit: (listener: (run: RunId, exit: Exit) => void) => () => void;
  /** Sets the note that the tree shows at this agent. */
  readonly note: (run: RunId, text: string) => void;
};
