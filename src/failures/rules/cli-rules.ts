/**
 * Messages of one CLI only, or in its own wording. These rules come before the providers' rules.
 */
import type { RuleData } from './rule.ts';

export const CLI_RULES: Readonly<Record<string, readonly RuleData[]>> = {
  claude: [
    { id: 'turns', reason: 'budget', code: 'error_max_(turns|budget)' },
    { id: 'answer', reason: 'invalid_output', code: 'error_max_structured_output' },
    { id: 'session', reason: 'bad_usage', message: 'no conversation found with session id' },
    { id: 'root', reason: 'bad_usage', line: '^--dangerously-skip-permissions cannot be used' },
  ],
  codex: [
    // Printed for any HTTP 500 as well; the text does not show the difference.
    { id: 'high-demand', reason: 'overloaded', message: 'experiencing high demand' },
    { id: 'usage', reason: 'bad_usage', exit: [2] },
  ],
  gemini: [
    {
      // An error that the provider sends inside a stream is swallowed, which leaves an empty
      // stream. A stream that breaks off after some words was cut.
      id: 'swallowed',
      reason: 'overloaded',
      code: 'no-answer',
    },
    { id: 'auth', reason: 'auth', exit: [41, 145, 147] },
    { id: 'input', reason: 'bad_usage', exit: [42, 52, 55] },
    { id: 'turns', reason: 'budget', exit: [53] },
    { id: 'limit', reason: 'rate_limited', exit: [173] },
    { id: 'overloaded', reason: 'overloaded', exit: [17, 247] },
    { id: 'server', reason: 'network', exit: [244, 246, 248] },
  ],
  copilot: [{ id: 'token-usage', reason: 'quota_exhausted', message: 'copilot token usage' }],
  opencode: [],
};
