/** One thing that a person can do, and the steps that actions consist of. */
import { shellWord } from '../base/shell-words.ts';
import type { Effect, Request } from './effect.ts';
import type { Prompt, KeyStep, TopState } from './top-state.ts';

export type Action = {
  readonly key: string;
  readonly does: string;
  /** Why it can't be done now. */
  readonly disabled: string | undefined;
  /** The same for a shell. Absent: it only moves around on the screen. */
  readonly command?: string;
  readonly run: (state: TopState) => KeyStep;
};

export function step(state: TopState, ...effects: readonly Effect[]): KeyStep {
  return { state, effects };
}

/** Sends a request, and shows its command. */
export function sending(state: TopState, request: Request): KeyStep {
  return step({ ...state, prompt: null }, request);
}

export function asking(
  state: TopState,
  prompt: Partial<Prompt> & Pick<Prompt, 'title' | 'command' | 'send'>,
): KeyStep {
  const plain = {
    ...({ value: '', form: 'text', isOptional: false, chosen: null } as const),
    completions: () => [],
  };
  return step({ ...state, prompt: { ...plain, ...prompt }, notice: null });
}

/** The command that sends a text, while the person still types it. */
export function textCommand(verb: string, run: string, text: string): string {
  return `supervisor ${verb} ${run} ${text === '' ? '…' : shellWord(text)}`;
}
