/** Names that mean this machine or a private network, wherever they are resolved. */
const PRIVATE_ENDINGS = [
  'localhost',
  'local',
  'localdomain',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  'in-addr.arpa',
  'ip6.arpa',
  'localtest.me',
  'lvh.me',
  'nip.io',
  'sslip.io',
  'xip.io',
];

/** `registry` stands for the package registries that the user configured on this machine. */
export function isPublicHost(written: string): boolean {
  if (written === 'registry') return true;
  const name = hostName(written);
  const labels = name.split('.');
  // A name without a dot is looked up in the local network; a number is an address.
  if (labels.length < 2 || /^(\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? '')) return false;
  if (!/^[a-z0-9.-]+$/.test(name)) return false;
  return !PRIVATE_ENDINGS.some((ending) => name === ending || name.endsWith(`.${ending}`));
}

/** Lowercase, without the port and a trailing dot. */
export function hostName(written: string): string {
  return written
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

/** The first part of an image's name is a registry if it looks like a host. Otherwise the engine uses its default registry. */
export function isPublicImage(image: string): boolean {
  const [first = ''] = image.split('/', 1);
  const isRegistry = image.includes('/') && (/[.:]/.test(first) || first === 'localhost');
  return !isRegistry || isPublicHost(first);
}
