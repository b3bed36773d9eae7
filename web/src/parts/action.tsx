/** A button that says which command does the same. */
import { createContext, use, useState } from 'react';
import type { ReactNode } from 'react';
import { Refused } from '../connection/api.ts';

type CommandHint = { readonly shown: string; readonly show: (command: string) => void };

export const CommandHintContext = createContext<CommandHint>({ shown: '', show: () => {} });

export type ActionProps = {
  readonly label: ReactNode;
  /** The same for a terminal. */
  readonly command: string;
  readonly look?: 'plain' | 'main' | 'danger';
  /** Why it can't be done now. */
  readonly disabled?: string | undefined;
  readonly onPress: () => void;
};

export function Action({
  label,
  command,
  look = 'plain',
  disabled,
  onPress,
}: ActionProps): ReactNode {
  const { show } = use(CommandHintContext);
  const hint = (): void => show(disabled ?? command);
  return (
    <button
      type="button"
      className={`action ${look}`}
      aria-disabled={disabled !== undefined}
      title={disabled ?? command}
      onMouseEnter={hint}
      onFocus={hint}
      onClick={disabled === undefined ? onPress : hint}
    >
      {label}
    </button>
  );
}

/** Sends something, once at a time, and keeps what the owner said about it. */
export function useSending(): {
  readonly isSending: boolean;
  readonly problem: string | null;
  readonly send: (what: () => Promise<unknown>) => Promise<boolean>;
} {
  const [isSending, setIsSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const send = async (what: () => Promise<unknown>): Promise<boolean> => {
    setIsSending(true);
    setProblem(null);
    try {
      await what();
      return true;
    } catch (error) {
      setProblem(describe(error));
      return false;
    } finally {
      setIsSending(false);
    }
  };
  return { isSending, problem, send };
}

function describe(error: unknown): string {
  if (error instanceof Refused) return [error.message, error.hint ?? ''].join(' ').trim();
  return error instanceof Error ? `The owner did not answer: ${error.message}` : String(error);
}
