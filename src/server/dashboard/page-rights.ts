/** What a page may ask of the owner: by role, method and path. Everything else is refused, also what is added later. */
import type { DashboardRole } from '../../protocol/dashboard-access.ts';

const RUN = '/v1/runs/[0-9a-f]{10}';

/** Only looks. No keys, no environment, no file of this machine. */
const READS: readonly RegExp[] = [
  '/v1/session',
  '/v1/board/follow',
  `${RUN}(?:/(?:status|why|result|diff|events|messages|checkpoints|feature))?`,
  '/v1/(?:events|metrics|spend|report(?:/(?:steps|steering))?)',
  '/v1/agent-table',
].map(whole);

/** Decides and controls. A page starts no new task, applies no work, and ends no owner. */
const WRITES: readonly RegExp[] = [
  `${RUN}/(?:decision|answer|signals|messages|fork)`,
  '/v1/agents/[0-9a-f]{10}/(?:messages|dismiss)',
  '/v1/agent-table(?:/test)?',
  '/v1/session/end',
].map(whole);

/** A page may always leave. */
const LEAVES = whole('/v1/session/end');

function whole(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`);
}

export function mayAsk(role: DashboardRole, method: string, path: string): boolean {
  const isOneOf = (patterns: readonly RegExp[]): boolean =>
    patterns.some((pattern) => pattern.test(path));
  if (method === 'GET') return isOneOf(READS);
  if (method !== 'POST') return false;
  return role === 'operator' ? isOneOf(WRITES) : LEAVES.test(path);
}
