/** One check of the work, run by us after the agent and out of its reach. */
import type { Settings } from '../protocol/settings.ts';

export type GateInput = {
  readonly name: string;
  readonly command: readonly string[];
  readonly timeoutMs: number;
  readonly project: string;
  readonly attempt: number;
  readonly sandbox: Settings['sandbox'];
  readonly unsafe: boolean;
};

export type GateOutcome =
  | { readonly kind: 'passed'; readonly name: string }
  | {
      readonly kind: 'failed';
      readonly name: string;
      readonly exit: number | null;
      readonly tail: string;
    }
  /** A gate that can't run is red. */
  | { readonly kind: 'unable'; readonly name: string; readonly why: string };
