/** The stored form of a setup: its input, its notes, its outcome. */
import type { StartedNote } from './attempt-contract.ts';
import type { PinnedSandbox, PinnedSetup } from '../pinned-settings.ts';

export type SetupInput = PinnedSetup & {
  readonly project: string;
  readonly sandbox: PinnedSandbox;
  /** The agents work in the project itself, which the user has prepared. */
  readonly worksInProject: boolean;
};

export type SetupNote =
  | StartedNote
  | {
      readonly kind: 'planned';
      /** The name of the result. */
      readonly key: string;
      /** The files that it depends on. */
      readonly inputs: readonly string[];
      readonly missing: readonly string[];
      /** Why the files that the command reads are not all known. */
      readonly notFollowed?: readonly string[];
      readonly granted: readonly string[];
      /** Versions of the tools inside the sandbox. */
      readonly toolVersions: string;
    }
  /** The stored result of an earlier setup is incomplete. */
  | { readonly kind: 'damaged'; readonly key: string }
  /** Which hosts it reached, and which were refused. */
  | {
      readonly kind: 'network-use';
      readonly reached: readonly string[];
      readonly refused: readonly string[];
    };

export type SetupOutcome =
  /** There is a result with that name. Agents and gates get copies. */
  | {
      readonly kind: 'ready';
      readonly key: string;
      /** Whether the setup ran, or the result of an earlier one was reused. */
      readonly how: 'built' | 'reused';
      readonly summary: string;
    }
  /** Nothing to do. */
  | { readonly kind: 'not-needed'; readonly summary: string }
  /** It ran and failed. No agent caused that, and none can fix it. */
  | { readonly kind: 'failed'; readonly message: string; readonly tail: string }
  /** It could not start on this machine. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'stopped' };
