/** What only one CLI says, or says in a way of its own. These stand before the providers' words. */
import type { RuleData } from './rule.ts';

export const CLI_RULES: Readonly<Record<string, readonly RuleData[]>> = {
  claude: [
    { id: 'turns', reason: 'budget', code: 'error_max_(turns|budget)' },
    { id: 'answer', reason: 'invalid_output', code: 'error_max_structured_output' },
    { id: 'session', reason: 'bad_usage', message: 'no conversation found with session id' },
    { id: 'root', reason: 'bad_usage', line: '^--dangerously-skip-permissions cannot be used' },
  ],
  codex: [
    // Said of any HTTP 500 as well, which its text no longer shows.
    { id: 'high-demand', reason: 'overloaded', message: 'experiencing high demand' },
    { id: 'usage', reason: 'bad_usage', exit: [2] },
  ],
  gemini: [
    {
      // An error that the provider sends inside a stream is swallowed; what is left is a stream with
      // nothing in it. A stream that breaks off after some words was cut.
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
