/**
 * The engine's own state of a run, folded from the same facts as the program's state: which keys
 * were ever used, which commands are open, and whether the run has ended.
 */
import type { CommandKey } from '../base/ids.ts';
import type { ChildInput } from '../protocol/child-run.ts';
import { FEATURE_CHILDREN_MAX } from '../protocol/child-run.ts';
import type { Command } from '../protocol/commands.ts';
import type { RunEvent } from '../protocol/event.ts';
import { FEATURE_PROGRAM } from '../protocol/feature.ts';
import type { Submission } from '../protocol/run-submission.ts';
import type { Signal } from '../protocol/signal.ts';
import { endsPause, isAgentSignal, isParentSignal } from '../protocol/signal.ts';
import type { KeySet } from './key-set.ts';
import { NO_KEYS, hasKey, withKey } from './key-set.ts';
import type { Move } from './program.ts';

export type OpenLedgerCommand = {
  readonly key: CommandKey;
  readonly command: Command;
  readonly limits: readonly string[];
  /** For a wait: when it is over. For a question: when it ends without an answer. Null: never by itself. */
  readonly until: number | null;
  readonly cancelled: 'ask' | 'kill' | null;
  /** For a child run: how it is started. */
  readonly child?: ChildInput;
  /** It waits for the limit of a provider. */
  readonly isCooldown?: true;
};

export type Ledger = {
  readonly known: KeySet;
  /** Begun and not ended, oldest first. */
  readonly open: readonly OpenLedgerCommand[];
  readonly ended: boolean;
  /** No command begins until a signal ends the pause. */
  readonly paused: boolean;
  /** It is paused because its parent is. */
  readonly pausedByParent: boolean;
  /** How many runs it has started. */
  readonly children: number;
  /** How many it may start. Absent: as many as any run. */
  readonly childrenMax?: number;
  /** How many runs are above it. */
  readonly depth: number;
  /** The limits that its commands used since the run last waited for long, for a limit or for a person, or was parked. */
  readonly counted: readonly string[];
};

export const EMPTY_LEDGER: Ledger = {
  known: NO_KEYS,
  open: [],
  ended: false,
  paused: false,
  pausedByParent: false,
  children: 0,
  depth: 0,
  counted: [],
};

/** The ledger at the first fact of a run. */
export function firstLedger({ program, parent }: Submission): Ledger {
  return {
    ...EMPTY_LEDGER,
    ...(program === FEATURE_PROGRAM ? { childrenMax: FEATURE_CHILDREN_MAX } : {}),
    ...(parent === undefined ? {} : { depth: parent.depth }),
  };
}

/** A run that waits longer than this, for a limit, for a person, or for a run that it started gives up its slots meanwhile. */
const LONG_WAIT_MS = 600_000;

export function foldLedger(ledger: Ledger, event: RunEvent): Ledger {
  switch (event.type) {
    case 'command.begun': {
      const { command, limits, input } = event.payload;
      const key = event.payload.key as CommandKey;
      const until = command === 'wait' || command === 'ask' ? (input.until ?? null) : null;
      const child = command === 'run' ? { child: input } : {};
      const isCooldown = command === 'wait' && input.reason === 'cooldown';
      const opened: OpenLedgerCommand = {
        ...{ key, command, limits, until, cancelled: null, ...child },
        ...(isCooldown ? { isCooldown } : {}),
      };
      const children = ledger.children + (command === 'run' ? 1 : 0);
      const open = [...ledger.open, opened];
      const counted = isIdle(open, event.at) ? [] : [...new Set([...ledger.counted, ...limits])];
      return { ...ledger, known: withKey(ledger.known, key), open, counted, children };
    }
    case 'command.cancelled': {
      const { key, how } = event.payload;
      const open = ledger.open.map((one) => (one.key === key ? { ...one, cancelled: how } : one));
      return { ...ledger, open };
    }
    case 'command.ended': {
      const open = ledger.open.filter(({ key }) => key !== event.payload.key);
      return { ...ledger, open, counted: isIdle(open, event.at) ? [] : ledger.counted };
    }
    case 'run.ended':
      return { ...ledger, ended: true };
    case 'signal.received': {
      const { signal } = event.payload;
      // A parked run has given up its slots. After a message it asks for them like any other run.
      const wasParked = isAgentSignal(signal) && ledger.open.length === 0;
      const counted = wasParked ? [] : ledger.counted;
      return { ...ledger, ...pauseAfter(ledger, signal), counted };
    }
    case 'command.noted': {
      const { key, command, note } = event.payload;
      if (command !== 'run') return ledger;
      const open = ledger.open.map((one) =>
        one.key === key ? { ...one, child: note.input } : one,
      );
      return { ...ledger, open };
    }
    case 'run.submitted':
    case 'run.forked':
      return ledger;
  }
}

/** A child needs slots too: a parent that kept its own would wait for ever. */
function isIdle(open: readonly OpenLedgerCommand[], now: number): boolean {
  const hasChild = hasOpenChild(open);
  const isLong = ({ command, until, isCooldown }: OpenLedgerCommand): boolean =>
    command === 'ask' ||
    command === 'run' ||
    isCooldown === true ||
    (until !== null && (hasChild || until - now > LONG_WAIT_MS));
  return open.length > 0 && open.every(isLong);
}

export function hasOpenChild(open: readonly OpenLedgerCommand[]): boolean {
  return open.some(({ command }) => command === 'run');
}

/**
 * A stop overrides a pause, because the commands of a stopped run must reach their end. A run that a person has paused
 * stays paused when its parent continues.
 */
function pauseAfter(
  { paused, pausedByParent }: Ledger,
  signal: Signal,
): Pick<Ledger, 'paused' | 'pausedByParent'> {
  if (signal.kind === 'pause')
    return { paused: true, pausedByParent: isParentSignal(signal) && (pausedByParent || !paused) };
  if (isParentSignal(signal) && !pausedByParent) return { paused, pausedByParent };
  return endsPause(signal) ? { paused: false, pausedByParent: false } : { paused, pausedByParent };
}

/**
 * Returns the moves that are new. A program repeats all its moves at each call, and most have begun already.
 * A paused run begins and finishes nothing. It may still ask: a question costs nothing and often is why it paused.
 */
export function freshMoves(ledger: Ledger, moves: readonly Move[]): readonly Move[] {
  return moves.filter((move, index) => {
    if (ledger.paused && move.kind !== 'cancel' && move.kind !== 'ask') return false;
    if (moves.findIndex((other) => isSame(other, move)) < index) return false;
    switch (move.kind) {
      case 'perform':
      case 'wait':
      case 'ask':
      case 'run':
        return !hasKey(ledger.known, move.key);
      case 'cancel': {
        const target = ledger.open.find(({ key }) => key === move.key);
        if (target === undefined || target.cancelled === 'kill') return false;
        return target.cancelled !== move.how;
      }
      case 'finish':
        return !ledger.ended;
      case 'park':
        return false;
    }
  });
}

/** A move that one call repeats is done once. Of two cancellations of one command the first counts. */
function isSame(one: Move, other: Move): boolean {
  if (!('key' in one) || !('key' in other)) return one.kind === other.kind;
  return one.key === other.key && (one.kind === 'cancel') === (other.kind === 'cancel');
}
