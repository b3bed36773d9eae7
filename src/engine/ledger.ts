/**
 * What the engine itself must know of a run, folded from the same facts as the program's state:
 * which keys were ever used, what is open, and whether it has ended.
 */
import type { CommandKey } from '../base/ids.ts';
import type { Json } from '../base/json.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { KeySet } from './key-set.ts';
import { NO_KEYS, hasKey, withKey } from './key-set.ts';
import type { Move } from './program.ts';

export type OpenCommand = {
  readonly key: CommandKey;
  readonly command: string;
  readonly limits: readonly string[];
  /** For a wait: when it is over. */
  readonly until: number | null;
  readonly cancelled: 'ask' | 'kill' | null;
};

export type Ledger = {
  readonly known: KeySet;
  /** Begun and not ended, oldest first. */
  readonly open: readonly OpenCommand[];
  readonly ended: boolean;
};

export const EMPTY_LEDGER: Ledger = { known: NO_KEYS, open: [], ended: false };

export function foldLedger(ledger: Ledger, event: StoredEvent): Ledger {
  switch (event.type) {
    case 'command.begun': {
      const { command, limits, input } = event.payload;
      const key = event.payload.key as CommandKey;
      const until = typeof input['until'] === 'number' ? input['until'] : null;
      const opened: OpenCommand = { key, command, limits, until, cancelled: null };
      return { ...ledger, known: withKey(ledger.known, key), open: [...ledger.open, opened] };
    }
    case 'command.cancelled': {
      const { key, how } = event.payload;
      const open = ledger.open.map((one) => (one.key === key ? { ...one, cancelled: how } : one));
      return { ...ledger, open };
    }
    case 'command.ended':
      return { ...ledger, open: ledger.open.filter(({ key }) => key !== event.payload.key) };
    case 'run.ended':
      return { ...ledger, ended: true };
    case 'run.submitted':
    case 'run.forked':
    case 'command.noted':
    case 'signal.received':
    case 'owner.started':
    case 'owner.stopped':
      return ledger;
  }
}

/** Those moves that are not already so. A program says everything again; most of it is old news. */
export function freshMoves(ledger: Ledger, moves: readonly Move[]): readonly Move[] {
  return moves.filter((move) => {
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
    }
  });
}

/** The ledger is part of a snapshot, and so it is JSON. */
export function ledgerFromJson(json: Json): Ledger {
  return json as unknown as Ledger;
}
