/** The types of the API and of the journal. Safe in a browser. */
export {
  EVENT_VERSION,
  OWNER_STREAM,
  Signal,
  StoredEventSchema,
  Submission,
  runOfStream,
  runStream,
} from './event.ts';
export type { EventType, NewEvent, Payload, Stored, StoredEvent } from './event.ts';
export { RunOutcome } from './outcome.ts';
export { OpenCommandView, RunView, foldRunView, runStatus, statusText } from './views/run-view.ts';
export type { RunStatus } from './views/run-view.ts';
export type { CommandEnd } from './commands.ts';
