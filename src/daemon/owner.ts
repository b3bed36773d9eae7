/**
 * The owner of the state: the one process that holds the lock, writes the journal and performs.
 * It puts the rooms together; every face reaches it through the server, in process or by socket.
 */
import { attemptPerformer } from '../attempts/perform-attempt.ts';
import { attemptsProgram } from '../attempts/attempts-program.ts';
import { scripted } from '../agents/scripted/scripted.ts';
import type { Clock } from '../base/clock.ts';
import { isoTime } from '../base/clock.ts';
import { Refusal, describeError } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import type { Luck } from '../base/luck.ts';
import { loadSettings } from '../config/load-settings.ts';
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts';
import type { Engine } from '../engine/engine.ts';
import type { Reaper } from '../host/reaper.ts';
import { PROTOCOL_VERSION } from '../protocol/api.ts';
import type { OutputChunk, OwnerView, RunRequest } from '../protocol/api.ts';
import { OWNER_STREAM } from '../protocol/event.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { RunView } from '../protocol/run-view.ts';
import type { Settings } from '../protocol/settings.ts';
import type { Journal } from '../store/journal.ts';
import { followEvents } from '../store/reader.ts';
import type { Home } from './home.ts';
import { Idle } from './idle.ts';
import { resumePoint } from './resume-point.ts';
import { limitsOf, submissionOf } from './submission.ts';
