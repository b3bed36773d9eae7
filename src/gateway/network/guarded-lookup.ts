/**
 * Resolves a name for a connection, and refuses if any of its addresses must not be dialled. The checked address is
 * the one that is dialled: the name is not resolved again.
 */
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { NetworkReach } from './private-addresses.ts';
import { mayDial } from './private-addresses.ts';

export function guardedLookup(
  reach: NetworkReach,
  resolve: typeof lookup = lookup,
): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, '');
      const refused = found.find(({ address }) => !mayDial(address, reach));
      const [first] = found;
      if (refused !== undefined || first === undefined)
        return done(privateAddress(hostname, refused?.address ?? 'no address'), '');
      if (options.all === true) return done(null, [...found]);
      return done(null, first.address, first.family);
    });
  };
}

function privateAddress(host: string, address: string): NodeJS.ErrnoException {
  const message = `${host} resolves to the private address ${address}: to allow it, add ${host} to gateway.private_hosts`;
  return Object.assign(new Error(message), { code: 'PRIVATE_ADDRESS' });
}
