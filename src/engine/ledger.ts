/**
 * The engine's own state of a run, folded from the same facts as the program's state: which keys
 * were ever used, which commands are open, and whether the run has ended.
 */
import type { CommandKey } from '../base/ids.ts';
import type { Command } from '../protocol/commands.ts';
import type { RunEvent } from '../protocol/event.ts';
import type { Signal } from '../protocol/signal.ts';
import { endsPause, isAgentSignal } from '../protocol/signal.ts';
import type { KeySet } from './key-set.ts';
import { NO_KEYS, hasKey, withKey } from './key-set.ts';
import type { Move } from './program.ts';

export type OpenLedgerCommand = {
  readonly key: CommandKey;
  readonly command: Command;
  readonly limits: readonly string[];
  /** For a wait: when it is over. */
  readonly until: number | null;
  readonly cancelled: 'ask' | 'kill' | null;
};

export type Ledger = {
  readonly known: KeySet;
  /** Begun and not ended, oldest first. */
  readonly open: readonly OpenLedgerCommand[];
  readonly ended: boolean;
  /** No command begins until a signal ends the pause. */
  readonly paused: boolean;
  /** The limits that its commands used since the run last waited for long, waited for a person, or was parked. */
  readonly counted: readonly string[];
};

export const EMPTY_LEDGER: Ledger = {
  known: NO_KEYS,
  open: [],
  ended: false,
  paused: false,
  counted: [],
};

/** A run that waits longer than this, or for a person, gives up its slots meanwhile. */
const LONG_WAIT_MS = 600_000;

export function foldLedger(ledger: Ledger, event: RunEvent): Ledger {
  switch (event.type) {
    case 'command.begun': {
      const { command, limits, input } = event.payload;
      const key = event.payload.key as CommandKey;
      const until = command === 'wait' ? input.until : null;
      const opened: OpenLedgerCommand = { key, command, limits, until, cancelled: null };
      const open = [...ledger.open, opened];
      const counted = isIdle(open, event.at) ? [] : [...new Set([...ledger.counted, ...limits])];
      return { ...ledger, known: withKey(ledger.known, key), open, counted };
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
      return { ...ledger, paused: isPaused(ledger, signal), counted };
    }
    case 'run.submitted':
    case 'run.forked':
    case 'command.noted':
      return ledger;
  }
}

function isIdle(open: readonly OpenLedgerCommand[], now: number): boolean {
  const isLong = ({ command, until }: OpenLedgerCommand): boolean =>
    command === 'ask' || (until !== null && until - now > LONG_WAIT_MS);
  return open.length > 0 && open.every(isLong);
}

/** A stop overrides a pause, because the commands of a stopped run must reach their end. */
function isPaused({ paused }: Ledger, signal: Signal): boolean {
  return signal.kind === 'pause' || (paused && !endsPause(signal));
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
