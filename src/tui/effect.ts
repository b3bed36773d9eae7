/** What happens outside of the screen, as values. `top.ts` carries them out. */
import type { DecideRequest } from '../protocol/views/approval-view.ts';
import type { TellRequest } from '../protocol/run-message.ts';
import type { Instruction } from '../protocol/views/instructions.ts';

export type Effect =
  | { readonly kind: 'quit'; readonly code: 0 | 130 }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'redraw' }
  | Request;

/** Sent to the owner. `command` is what a person would type for it. */
export type Request = { readonly command: string } & (
  | {
      readonly kind: 'signal';
      readonly run: string;
      readonly signal: Instruction;
    }
  /** The same to several runs, one after the other. */
  | { readonly kind: 'signals'; readonly runs: readonly string[]; readonly signal: Instruction }
  | { readonly kind: 'decide'; readonly run: string; readonly request: DecideRequest }
  | { readonly kind: 'answer'; readonly run: string; readonly key: string; readonly choice: string }
  | { readonly kind: 'tell'; readonly run: string; readonly request: TellRequest }
  | { readonly kind: 'send'; readonly agent: string; readonly text: string }
  | { readonly kind: 'dismiss'; readonly agent: string }
);
