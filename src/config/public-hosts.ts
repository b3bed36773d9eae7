/** Names that mean this machine or a network of one's own, wherever they are resolved. */
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

/** `registry` stands for where the package managers of this machine look, which is the user's choice. */
export function isPublicHost(written: string): boolean {
  if (written === 'registry') return true;
  const name = hostNameOf(written);
  const labels = name.split('.');
  // A name without a dot is looked up in the local network; a number is an address.
  if (labels.length < 2 || /^(\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? '')) return false;
  if (!/^[a-z0-9.-]+$/.test(name)) return false;
  return !PRIVATE_ENDINGS.some((ending) => name === ending || name.endsWith(`.${ending}`));
}

/** Without its port and a last dot, in small letters. */
export function hostNameOf(written: string): string {
  return written
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

/** The first part of an image's name is a registry where it looks like a host; else it is the engine's own default. */
export function isPublicImage(image: string): boolean {
  const [first = ''] = image.split('/', 1);
  const isRegistry = image.includes('/') && (/[.:]/.test(first) || first === 'localhost');
  return !isRegistry || isPublicHost(first);
}
