import { text as textOf } from 'node:stream/consumers';
import { defined } from '../base/defined.ts';
import { Refusal } from '../base/errors.ts';
import { requestHttp } from '../host/net/http.ts';
import { tooLarge } from '../protocol/api.ts';
import { REQUEST_BYTES_MAX } from '../protocol/request-bytes.ts';
import type { Transport } from './transport.ts';
import { isOk } from './transport.ts';

/** Calls over the owner's unix socket. If no owner listens there, refuses with `owner.unreachable`. */
export function socketTransport(socket: string): Transport {
  return (path, { method, body, signal, key }) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      if (text !== undefined && Buffer.byteLength(text) > REQUEST_BYTES_MAX) {
        return reject(new Refusal(tooLarge()));
      }
      const headers = {
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        ...defined({ 'idempotency-key': key }),
      };
      const options = {
        socketPath: socket,
        path,
        method,
        headers,
        agent: false,
        ...defined({ signal }),
      };
      const call = requestHttp(options, (answer) => {
        const { statusCode: status = 500 } = answer;
        resolve({ ok: isOk(status), status, body: answer, text: () => textOf(answer) });
      });
      call.on('error', (error: NodeJS.ErrnoException) => reject(explain(error, socket)));
      call.end(text);
    });
}

const NO_OWNER = new Set([
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'ELOOP', // the refusal of the home says more
  'ENAMETOOLONG',
  'ECONNREFUSED', // the socket file exists, but its owner has ended
  'ECONNRESET',
  'EPIPE',
]);

function explain(error: NodeJS.ErrnoException, socket: string): Error {
  if (!NO_OWNER.has(error.code ?? '')) return error;
  return new Refusal(
    {
      code: 'owner.unreachable',
      message: `No owner answers on ${socket} (${error.code ?? 'no code'}).`,
    },
    { cause: error },
  );
}
