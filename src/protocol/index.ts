/** The types of the API and of the journal. Safe in a browser. */
export { EVENT_VERSION, StoredEventSchema } from './event.ts';
export { OWNER_STREAM, runOfStream, runStream } from './streams.ts';
export { Submission } from './run-submission.ts';
export { Signal } from './signal.ts';
export type { EventType, NewEvent, Payload, Stored, StoredEvent } from './event.ts';
export { RunOutcome } from './outcome.ts';
export { OpenCommandView } from './views/open-command-view.ts';
export { RunView, foldRunView } from './views/run-view.ts';
export { runStatus, statusText } from './views/run-status.ts';
export type { RunStatus } from './views/run-status.ts';
export type { CommandEnd } from './commands.ts';
