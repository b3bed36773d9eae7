/** Describes what a command noted while it ran. */
import { BUDGET_WORDS } from '../../protocol/views/budget-view.ts';
import { plural } from '../../base/text.ts';
import type { TakeoverEndedNote } from '../../protocol/contracts/attempt-contract.ts';
import type { CommandNoted, Note } from '../../protocol/commands.ts';
import { describeHeldCall } from '../../protocol/words/call-hold.ts';
import type { TurnRecord } from '../../protocol/turn.ts';
import { describeAnomaly } from '../../reports/anomaly-words.ts';
import { costWords } from '../../reports/cost-words.ts';
import { describeRefusedHost } from '../../protocol/words/refused-host-words.ts';

const TAKEOVER_ENDS = {
  'program-ended': 'the program in your terminal has ended',
  left: 'you left the terminal',
  lost: 'the terminal is gone, so the takeover ends',
  'no-terminal': 'no terminal came for the takeover',
  stopped: 'the takeover was stopped',
  'out-of-memory': 'the program in your terminal used too much memory, and was ended',
  'disk-limit': 'the program in your terminal used too much disk space, and was ended',
} as const satisfies Readonly<Record<TakeoverEndedNote['how'], string>>;

type Amount = { readonly tokens: number; readonly usd: number };

function money({ tokens, usd }: Amount, isPartial: boolean): string {
  if (isPartial && usd === 0) return `${plural(tokens, 'token')} at an unknown price`;
  return `${plural(tokens, 'token')} for ${costWords({ usd, isPartial }, 4)}`;
}

export function describeNote({ key, note }: CommandNoted): string {
  switch (note.kind) {
    case 'judges':
      return judges(key, note);
    case 'committed':
      return `${key}: ${committed(key, note.files)}`;
    case 'not-committed':
      return `${key}: the work could not be committed: ${note.message}`;
    case 'session':
      return `${key}: the conversation is ${note.session}`;
    case 'reserved':
      return `${key}: a model call may use up to ${money(note, note.unpriced === true)}`;
    case 'spent':
      return `${key}: ${money(note, (note.unpriced ?? 0) > 0)}`;
    case 'over-budget':
      return note.because === 'price-unknown'
        ? `${key}: the price of ${note.model ?? 'the model'} is unknown, and this ${note.scope} has a budget in US dollars`
        : `${key}: the ${BUDGET_WORDS[note.limit]} budget of this ${note.scope} is spent`;
    case 'removed':
      return `${key}: removed from its model calls: ${listed(note.names) ?? 'nothing'}`;
    case 'login-expires': {
      const { cli, expiresAt } = note;
      return `${key}: the login of ${cli} expires at ${new Date(expiresAt).toISOString()}. Start ${cli} once, which renews it, or log in again`;
    }
    case 'call-held':
      return `${key}: ${describeHeldCall(note, note.heldAt) ?? ''}`;
    case 'turn':
      return `${key}: ${describeTurn(note.turn)}`;
    case 'takeover-ended':
      return `${key}: ${TAKEOVER_ENDS[note.how]}`;
    case 'message-seen':
      return `${key}: message ${note.message} is in model call ${note.request}`;
    case 'sent':
      return `${key}: the message is sent`;
    case 'anomaly':
      return `${key}, turn ${note.turn}: ${describeAnomaly(note)}`;
    case 'detector-defect':
      return `${key}: the detector ${note.detector} failed: ${note.message}`;
    case 'pace':
      return `${key}, turn ${note.turn}: the role ${note.role} is at its ${note.level} plan`;
    case 'report-failed':
      return `${key}: a report of its role could not be written: ${note.message}`;
    case 'gateway-failed':
      return `${key}: its gateway failed: ${note.message}`;
    case 'recorded':
      return `${key}: ${plural(note.calls, 'model call')} recorded`;
    case 'quota':
      return `${key}: the plan of ${note.wire} is ${note.status}`;
    case 'planned':
      return `${key} depends on ${listed(note.inputs) ?? 'no file'}`;
    case 'network-use': {
      const not = listed(note.refused.map(describeRefusedHost));
      return `${key} reached ${listed(note.reached) ?? 'no host'}${not === undefined ? '' : `; blocked: ${not}`}`;
    }
    case 'continued':
      return `${key} continues in run ${note.input.run}`;
    case 'damaged':
      return `${key}: the stored setup was changed and is made again`;
    case 'started': {
      const { pid, sandbox } = note;
      const contained = sandbox === 'none' ? 'not contained' : `in ${sandbox}`;
      const granted = listed(note.granted ?? []);
      const given = granted === undefined ? '' : `, with access to ${granted}`;
      return `${key} runs as pid ${String(pid)}, ${contained}${given}`;
    }
  }
}

function describeTurn({ number, steps, calls }: TurnRecord): string {
  const failed = steps.filter(({ error }) => error !== undefined).length;
  const asks = listed([...new Set(calls.map(({ tool }) => tool))]) ?? 'no tool';
  const before = failed === 0 ? '' : `, after ${plural(failed, 'failed call')}`;
  return `turn ${number} uses ${asks}${before}`;
}

function listed(names: readonly string[]): string | undefined {
  return names.length > 0 ? names.join(', ') : undefined;
}

function judges(
  key: string,
  { commit, restored, definition }: Extract<Note<'gate'>, { kind: 'judges' }>,
): string {
  const what = commit === null ? 'the project' : `commit ${commit.slice(0, 12)}`;
  const changed = listed(restored);
  const how =
    definition === 'of-work'
      ? ', with its own definition'
      : changed === undefined
        ? ''
        : `, with ${changed} from before the work`;
  return `${key} checks ${what}${how}`;
}

/** A commit holds the work of all attempts so far. What the last of them changed may be nothing. */
function committed(key: string, files: number): string {
  if (files === 0) return 'no changed file to commit';
  const changed = plural(files, 'changed file');
  return key === 'attempt-1' ? `${changed} committed` : `committed, ${changed} in all`;
}
