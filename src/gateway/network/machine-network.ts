import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ProxyNetwork } from './connect-proxy.ts';

/** The real network of this machine, for the proxy. */
export const machineNetwork: ProxyNetwork = {
  async resolve(host) {
    const found = await lookup(host, { all: true, order: 'verbatim' });
    return found.map(({ address }) => address);
  },

  dial: (address, port, signal) =>
    new Promise<Duplex>((resolve, reject) => {
      const socket = connect({ host: address, port });
      const onAbort = (): void => {
        socket.destroy();
        reject(new Error('cancelled'));
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      socket.once('connect', () => {
        signal.removeEventListener('abort', onAbort);
        resolve(socket);
      });
      socket.on('error', (error) => {
        signal.removeEventListener('abort', onAbort);
        reject(error);
      });
    }),
};
