/// <reference lib="esnext.disposable" preserve="true" />
/** The library: explicit names, nothing else. */
export { after, at, isoTime } from './base/clock.ts';
export type { Clock, Instant } from './base/clock.ts';
export { Refusal, describeError, isRefusal } from './base/errors.ts';
export type { RefusalCode, RefusalData } from './base/errors.ts';
export { newRunId, parseAgentId, parseCommandKey, parseRunId } from './base/ids.ts';
export type { AgentId, CommandKey, RunId } from './base/ids.ts';
export type { Json, JsonObject } from './base/json.ts';
export type { Random } from './base/random.ts';
export { Client } from './client/client.ts';
export { openSupervisor } from './client/open-supervisor.ts';
export type { SupervisorConnection, SupervisorOptions } from './client/open-supervisor.ts';
export { runTask } from './client/run-task.ts';
export type { TaskHooks, TaskSpec } from './client/run-task.ts';
export { EmbeddedEngine } from './engine/embedded/embedded-engine.ts';
export type { EngineOptions } from './engine/embedded/embedded-engine.ts';
export type { Engine } from './engine/engine.ts';
export type { Limit } from './engine/limits.ts';
export type { CommandContext, CommandRequest, Performer } from './engine/performer.ts';
export type { Move, Program } from './engine/program.ts';
export type { CommandEnd, Signal, StoredEvent, Submission } from './protocol/event.ts';
export type { RunOutcome } from './protocol/outcome.ts';
export type { RunResult } from './reports/run-result.ts';
export type { RunStatus, RunView } from './protocol/views/run-view.ts';
export type { Journal, Page, RunFilter, Snapshot } from './store/journal.ts';
export { MemoryDisk } from './store/memory/memory-disk.ts';
export { MemoryJournal } from './store/memory/memory-journal.ts';
export { openJournal } from './store/sqlite/open-journal.ts';
