/**
 * A rule maps a piece of evidence to a failure. Everything that a rule names must fit; the first
 * rule that fits decides. Rules are data: those of the package are in this folder, and a user's own
 * come before them.
 */
import type { AgentError } from '../../adapters/agent-event.ts';
import type { LinearRegex } from '../../base/linear-regex.ts';
import { linearRegex } from '../../base/linear-regex.ts';
import type { FailureReason } from '../../protocol/failure-reason.ts';
import type { ErrorLine } from './error-lines.ts';

/** Changes whenever a rule does, so that a record shows by which rules it was made. */
export const RULES_VERSION = 1;

export type RuleData = {
  readonly id: string;
  readonly reason: FailureReason;
  /** Of the provider's answer. */
  readonly status?: readonly number[];
  /** Found in the error's type. */
  readonly code?: string;
  /** Found in an error that the CLI or the provider structured. */
  readonly message?: string;
  /** Found in one of the last lines; `^` is where it, or its message after "Error:", begins. */
  readonly line?: string;
  /** Found in one of the last lines, if that line begins as an error does. */
  readonly quoted?: string;
  /** The exit code of the process. */
  readonly exit?: readonly number[];
};

export type FailureRule = {
  readonly id: string;
  readonly reason: FailureReason;
  readonly status: readonly number[] | null;
  readonly code: LinearRegex | null;
  readonly message: LinearRegex | null;
  readonly line: LinearRegex | null;
  readonly quoted: LinearRegex | null;
  readonly exit: readonly number[] | null;
};

/** Throws on a bad pattern: users' patterns were checked when they were read. */
export function rulesFrom(origin: string, data: readonly RuleData[]): readonly FailureRule[] {
  return data.map(({ id, reason, status, code, message, line, quoted, exit }) => ({
    id: `${origin}/${id}`,
    reason,
    status: status ?? null,
    code: code === undefined ? null : linearRegex(code),
    message: message === undefined ? null : linearRegex(message),
    line: line === undefined ? null : linearRegex(line),
    quoted: quoted === undefined ? null : linearRegex(quoted),
    exit: exit ?? null,
  }));
}

/** For a structured error. */
export function ruleForError(
  rules: readonly FailureRule[],
  error: AgentError,
): FailureRule | undefined {
  return rules.find(({ status, code, message, exit }) => {
    if (exit !== null || (status === null && code === null && message === null)) return false;
    if (status !== null && (error.status === null || !status.includes(error.status))) return false;
    if (code !== null && !code.matches(error.code ?? '')) return false;
    return message === null || message.matches(plain(error.message));
  });
}

/** For one of the last lines. */
export function ruleForLine(
  rules: readonly FailureRule[],
  line: ErrorLine,
): FailureRule | undefined {
  return rules.find((rule) => {
    if (rule.line !== null && line.messages.some((message) => rule.line?.matches(message)))
      return true;
    if (!line.isError) return false;
    if (rule.quoted?.matches(line.line) === true) return true;
    const isBare = rule.code === null && rule.message === null;
    return isBare && line.status !== null && rule.status?.includes(line.status) === true;
  });
}

/** Some use the typographic apostrophe. */
function plain(message: string): string {
  return message.replaceAll('\u2019', "'");
}

export function ruleForExit(rules: readonly FailureRule[], code: number): FailureRule | undefined {
  return rules.find(({ exit }) => exit?.includes(code) === true);
}
