/** What was noted while a command ran, in the form that scripts read. */
import type { CommandNoted } from '../protocol/commands.ts';
import { describeHeldCall } from '../protocol/words/call-hold.ts';
import type { EventData } from './public-event.ts';

type NotedData = Extract<EventData, { type: 'command.noted' }>['data'];

export function notedData({ key, command, note }: CommandNoted): NotedData {
  const none = {
    key,
    command,
    note: note.kind,
    pid: null,
    sandbox: null,
    container_id: null,
    session_id: null,
    total_tokens: null,
    input_tokens: null,
    output_tokens: null,
    cost_usd: null,
    commit: null,
    ref: null,
    files_changed: null,
    child_run_id: null,
    detector: null,
    decision: null,
    turn: null,
    model: null,
    message_id: null,
    detail: null,
  };
  switch (note.kind) {
    case 'started': {
      const { pid, sandbox, container = null } = note;
      return { ...none, pid, sandbox, container_id: container };
    }
    case 'session':
      return { ...none, session_id: note.session };
    case 'spent':
      return {
        ...none,
        total_tokens: note.tokens,
        input_tokens: note.inputTokens ?? null,
        output_tokens: note.outputTokens ?? null,
        cost_usd: (note.unpriced ?? 0) > 0 ? null : note.usd,
      };
    case 'committed':
      return { ...none, commit: note.commit, ref: note.ref, files_changed: note.files };
    case 'continued':
      return { ...none, child_run_id: note.input.run };
    case 'anomaly': {
      const { detector, decision, turn, model, message = null, words } = note;
      return { ...none, detector, decision, turn, model, message_id: message, detail: words };
    }
    case 'detector-defect':
      return { ...none, detector: note.detector, detail: note.message };
    case 'call-held': {
      const { model, heldAt } = note;
      return { ...none, model, detail: describeHeldCall(note, heldAt) };
    }
    case 'takeover-ended':
      return { ...none, detail: note.how };
    case 'message-seen':
      return { ...none, message_id: note.message };
    case 'not-committed':
    case 'reserved':
    case 'over-budget':
    case 'quota':
    case 'removed':
    case 'turn':
    case 'sent':
    case 'pace':
    case 'report-failed':
    case 'gateway-failed':
    case 'login-expires':
    case 'recorded':
    case 'judges':
    case 'planned':
    case 'damaged':
    case 'network-use':
      return none;
  }
}
