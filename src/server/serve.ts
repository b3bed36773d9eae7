/** An owner that answers on its socket, until it is asked to close or nobody needs it any more. */
import type { Hono } from 'hono';
import { Owner } from '../daemon/owner.ts';
import type { OwnerOptions } from '../daemon/owner.ts';
import { createApp } from './app.ts';
import { listen } from './listen.ts';

export type Serving = {
  readonly app: Hono;
  readonly owner: Owner;
  /** Resolves with the reason once it should end: idle, asked, or a defect. It is still open then. */
  readonly done: Promise<string>;
  /** A second call joins the first one. */
  close(reason: string): Promise<void>;
};

export async function serve(options: OwnerOptions): Promise<Serving> {
  const owner = await Owner.open(options);
  const app = createApp(owner);
  try {
    const listening = await listen(app, options.home.socket, options.clock);
    const close = async (reason: string): Promise<void> => {
      owner.beginToClose(reason);
      await listening.close();
      await owner.close(reason);
    };
    let closed: Promise<void> | undefined;
    return { app, owner, done: owner.done, close: (reason) => (closed ??= close(reason)) };
  } catch (error) {
    await owner.close('could not listen'); // a lock without a socket would lock the user out
    throw error;
  }
}
