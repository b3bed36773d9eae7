/**
 * Resolves a name for a connection that is about to be made, and refuses when any of its addresses may
 * not be dialled. The address that was checked is the one that is dialled: the name is not asked again.
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
        return done(privateAddress(hostname, refused?.address ?? 'nothing'), '');
      if (options.all === true) return done(null, [...found]);
      return done(null, first.address, first.family);
    });
  };
}

function privateAddress(host: string, address: string): NodeJS.ErrnoException {
  const words = `${host} leads to ${address}; name it in gateway.private_hosts if that is meant`;
  return Object.assign(new Error(words), { code: 'PRIVATE_ADDRESS' });
}
