/** An owner inside this process: for `--foreground`, containers and tests. */
import { defined } from '../base/defined.ts';
import type { OwnerOptions } from '../owner/owner-options.ts';
import { serve } from '../server/serve.ts';
import type { ServeOptions, Serving } from '../server/serve.ts';
import { Client } from './client.ts';
import type { Transport } from './transport.ts';

export type { OwnerOptions, ServeOptions };
export { parseListen } from '../server/admit.ts';

export type InProcess = { readonly client: Client; readonly serving: Serving };

/** The owner also listens on its socket, so commands in other terminals can use it. */
export async function openInProcess(options: ServeOptions): Promise<InProcess> {
  const serving = await serve(options);
  return { client: new Client(appTransport(serving.app), options.env), serving };
}

function appTransport(app: Serving['app']): Transport {
  return async (path, { method, body, signal, key }) =>
    app.request(path, {
      method,
      ...defined({ signal, body: body === undefined ? undefined : JSON.stringify(body) }),
      headers: defined({
        'content-type': body === undefined ? undefined : 'application/json',
        'idempotency-key': key,
      }),
    });
}
