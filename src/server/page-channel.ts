import type { Context } from 'hono';
import { PageChannel } from '../protocol/dashboard-access.ts';

/** Where the request comes from, if it comes from a page. Only the port of the dashboard says so, never the request. */
export function pageChannel({ env }: Pick<Context, 'env'>): PageChannel | undefined {
  return PageChannel.safeParse((env as { channel?: unknown } | undefined)?.channel).data;
}
