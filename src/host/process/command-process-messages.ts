/** What a process and its command process tell each other. Both are the same release, so nothing is checked. */
import type { HostCommand, HostExit } from './process-group.ts';

export type ToCommandProcess =
  | {
      readonly kind: 'start';
      /** Counts the commands. */
      readonly id: number;
      readonly command: HostCommand;
      readonly tag: string;
      readonly outputBytesMax: number;
      readonly keepSurvivors: boolean;
    }
  | { readonly kind: 'kill'; readonly id: number };

export type FromCommandProcess =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'output';
      readonly id: number;
      readonly stream: 'stdout' | 'stderr';
      readonly chunk: Uint8Array;
    }
  | { readonly kind: 'ended'; readonly id: number; readonly exit: HostExit };
