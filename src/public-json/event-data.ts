/** Turns a stored event into the form that scripts read. */
import { mergedData, rolledBackData } from './moved-data.ts';
import { AGENT_PROGRAM } from '../protocol/agent-program-name.ts';
import type { Command, CommandBegun, CommandEnded, Result } from '../protocol/commands.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { GateOutcome } from '../protocol/contracts/gate-contract.ts';
import type { Submission } from '../protocol/run-submission.ts';
import { runOfStream } from '../protocol/streams.ts';
import type { AttemptSettings } from '../protocol/pinned-settings.ts';
import { toIso } from './document.ts';
import { reasonFields } from './reason-fields.ts';
import type { EventData, EventDocument } from './public-event.ts';
import { notedData } from './noted-data.ts';
import { signalData } from './signal-data.ts';

/** `message`: the event in words. */
export function eventDocument(event: StoredEvent, message: string): EventDocument {
  return {
    schema: 'supervisor.events/1',
    id: event.id,
    run_id: runOf(event),
    seq: event.seq,
    stream: event.stream,
    at: toIso(event.at),
    message,
    ...dataOf(event),
  };
}

/** Some events about a run are in the stream of a component. */
function runOf({ stream, payload }: StoredEvent): string | null {
  return runOfStream(stream) ?? ('run' in payload ? payload.run : null);
}

function dataOf(event: StoredEvent): EventData {
  switch (event.type) {
    case 'run.submitted':
      return { type: event.type, data: submissionOf(event.payload) };
    case 'run.forked': {
      const { from, seq, submission } = event.payload;
      const { task, project } = submission;
      const parent_run_id = submission.parent?.run ?? null;
      return {
        type: event.type,
        data: { from_run_id: from, from_seq: seq, task, project, parent_run_id },
      };
    }
    case 'command.begun':
      return { type: event.type, data: begunData(event.payload) };
    case 'command.noted':
      return { type: event.type, data: notedData(event.payload) };
    case 'command.cancelled':
      return { type: event.type, data: { key: event.payload.key, how: event.payload.how } };
    case 'command.ended':
      return { type: event.type, data: endedData(event.payload) };
    case 'signal.received':
      return { type: event.type, data: signalData(event.payload.signal) };
    case 'run.ended': {
      const { kind, reason } = event.payload.outcome;
      return { type: event.type, data: { state: kind, ...reasonFields(reason) } };
    }
    case 'owner.started':
      return { type: event.type, data: { pid: event.payload.pid, version: event.payload.version } };
    case 'owner.stopped':
      return { type: event.type, data: { reason: event.payload.reason } };
    case 'apply.begun': {
      const { commit, branch, files } = event.payload;
      return { type: event.type, data: { commit, branch, files_changed: files } };
    }
    case 'apply.ended':
      return {
        type: event.type,
        data: { commit: event.payload.commit, result: event.payload.how },
      };
    case 'apply.committed': {
      const { made, branch } = event.payload;
      return { type: event.type, data: { commit: made, branch } };
    }
    case 'work.merged':
      return { type: event.type, data: mergedData(event.payload) };
    case 'work.rolled-back':
      return { type: event.type, data: rolledBackData(event.payload) };
    case 'undo.begun': {
      const { commit, files } = event.payload;
      return { type: event.type, data: { commit, files_changed: files } };
    }
    case 'undo.ended':
      return {
        type: event.type,
        data: { commit: event.payload.commit, result: event.payload.how },
      };
    case 'prune.begun': {
      const { before, runs, agents = 0 } = event.payload;
      return { type: event.type, data: { before: toIso(before), runs, agents } };
    }
    case 'prune.ended': {
      const { runs, agents = 0, bytes, remaining } = event.payload;
      return { type: event.type, data: { runs, agents, bytes_deleted: bytes, remaining } };
    }
    case 'cooldown.set': {
      const { agent, until, reason } = event.payload;
      return { type: event.type, data: { agent_id: agent, until: toIso(until), reason } };
    }
    case 'cooldown.cleared':
      return { type: event.type, data: { identities: event.payload.identities } };
    case 'breaker.failed': {
      const { project, workflow, step, reason } = event.payload;
      return { type: event.type, data: { project, workflow, step, reason } };
    }
    case 'breaker.probed':
    case 'breaker.closed': {
      const { project, workflow, step } = event.payload;
      return { type: event.type, data: { project, workflow, step } };
    }
    case 'schedule.added': {
      const { name, cron, timeZone, missed } = event.payload;
      return { type: event.type, data: { name, cron, time_zone: timeZone, missed } };
    }
    case 'schedule.removed':
      return { type: event.type, data: event.payload };
    case 'schedule.begun':
    case 'schedule.started': {
      const { name, due } = event.payload;
      return { type: event.type, data: { name, due: toIso(due) } };
    }
    case 'schedule.refused': {
      const { name, due, why } = event.payload;
      return { type: event.type, data: { name, due: toIso(due), reason: why } };
    }
    case 'schedule.skipped': {
      const { name, due, because } = event.payload;
      return { type: event.type, data: { name, due: toIso(due), reason: because } };
    }
    case 'notification.begun':
      return {
        type: event.type,
        data: { about: event.payload.about, notifier: event.payload.to ?? null },
      };
    case 'notification.ended':
      return {
        type: event.type,
        data: { result: event.payload.how, notifier: event.payload.to ?? null },
      };
    case 'tree.restarting': {
      const { supervisor, child, streak } = event.payload;
      return { type: event.type, data: { supervisor, child, restarts_in_a_row: streak } };
    }
    case 'monitor.noted': {
      const { monitor, subject } = event.payload;
      return { type: event.type, data: { monitor, subject } };
    }
    case 'tree.snapshot':
    case 'monitor.snapshot':
      return { type: event.type, data: {} };
  }
}

type DataOf<Type extends EventData['type']> = Extract<EventData, { type: Type }>['data'];

function submissionOf({
  program,
  task,
  project,
  settings,
  parent,
}: Submission): DataOf<'run.submitted'> {
  const kind = program === AGENT_PROGRAM ? 'agent' : 'run';
  const first = (settings as Partial<AttemptSettings>).agent?.id ?? null;
  return { task, project, kind, agent_id: first, parent_run_id: parent?.run ?? null };
}

function begunData({ key, command, input }: CommandBegun): DataOf<'command.begun'> {
  const none = {
    key,
    command,
    agent_id: null,
    attempt: null,
    gate: null,
    wait_reason: null,
    until: null,
    question: null,
    choices: [],
    child_run_id: null,
  };
  switch (command) {
    case 'attempt':
      return { ...none, agent_id: input.agent.id, attempt: input.number };
    case 'gate':
      return { ...none, gate: input.name, attempt: input.attempt };
    case 'baseline':
      return { ...none, gate: input.name };
    case 'wait':
      return {
        ...none,
        agent_id: input.agent ?? null,
        wait_reason: input.reason,
        until: toIso(input.until),
      };
    case 'ask':
      return { ...none, question: input.question, choices: [...(input.choices ?? [])] };
    case 'set-cooldown':
      return { ...none, agent_id: input.agent, until: input.until };
    case 'run':
      return { ...none, child_run_id: input.run };
    case 'setup':
    case 'finalize':
    case 'check-availability':
    case 'claim-item':
    case 'release-item':
    case 'send-message':
    case 'deliver-message':
    case 'broadcast':
    case 'prepare-step':
    case 'collect-step':
    case 'assess-change':
    case 'update-breaker':
    case 'open-base':
    case 'merge-work':
    case 'write-interfaces':
    case 'commit-work':
      return none;
  }
}

function endedData({ key, command, end }: CommandEnded): DataOf<'command.ended'> {
  const none = {
    key,
    command,
    gate: null,
    exit_code: null,
    failure_reason: null,
    detail: null,
    child_run_id: null,
  };
  switch (end.kind) {
    case 'interrupted':
      return { ...none, result: 'interrupted' };
    case 'defect':
      return { ...none, result: 'defect', detail: end.message };
    case 'done': {
      if (command === 'run') {
        const { run, outcome } = end.result;
        return { ...none, result: outcome.kind, detail: outcome.reason, child_run_id: run };
      }
      // A gate on the base has the same outcome as a gate on the work.
      const result = 'outcome' in end.result ? end.result.outcome : end.result;
      const isGate = command === 'gate' || command === 'baseline';
      return {
        ...none,
        result: wordOf(result),
        gate: isGate && 'name' in result ? result.name : null,
        exit_code: 'exit' in result ? (result.exit ?? null) : null,
        failure_reason: 'reason' in result ? result.reason : null,
        detail: detailOf(result),
      };
    }
  }
}

function wordOf(result: Result<Command> | GateOutcome): string {
  if ('timedOut' in result) return 'timed-out';
  return 'kind' in result ? result.kind : 'done';
}

function detailOf(result: Result<Command> | GateOutcome): string | null {
  if ('summary' in result) return result.summary;
  if ('message' in result) return result.message;
  if ('answer' in result && typeof result.answer === 'string') return result.answer;
  return 'why' in result ? result.why : null;
}
