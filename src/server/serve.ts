/** An owner that answers on its socket, until it is asked to close or nobody needs it any more. */
import type { Hono } from 'hono';
import { Owner } from '../owner/owner.ts';
import type { OwnerOptions } from '../owner/owner-options.ts';
import { createApp } from './app.ts';
import { serverBranch } from './server-branch.ts';
import type { Listeners } from './server-branch.ts';

export type Serving = {
  readonly app: Hono;
  readonly owner: Owner;
  /** Resolves with the reason once it should end: idle, asked, or a defect. It is still open then. */
  readonly done: Promise<string>;
  /** A second call joins the first one. */
  close(reason: string): Promise<void>;
};

export type ServeOptions = OwnerOptions & Pick<Listeners, 'tcp'>;

export async function serve(options: ServeOptions): Promise<Serving> {
  const owner = await Owner.open(options, (self) => [serverBranch(createApp(self), self, options)]);
  const close = (reason: string): Promise<void> => owner.close(reason);
  return { app: createApp(owner), owner, done: owner.done, close };
}
