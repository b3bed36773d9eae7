import type { PinnedRule } from '../../protocol/pinned-settings.ts';
import type { FailureRule } from './rule.ts';
import { rulesFrom } from './rule.ts';

/** The user's own rules for one CLI. Their patterns were checked when the settings were read. */
export function userRules(settings: readonly PinnedRule[], cli: string): readonly FailureRule[] {
  const own = settings.filter((rule) => rule.cli === null || rule.cli === cli);
  return rulesFrom(
    'config',
    own.flatMap(({ id, reason, pattern, exitCodes }) => [
      ...(pattern === null ? [] : [{ id, reason, message: pattern, line: pattern }]),
      ...(exitCodes.length === 0 ? [] : [{ id, reason, exit: exitCodes }]),
    ]),
  );
}
