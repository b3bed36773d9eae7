/** Where the built page of the dashboard is: the same place from `src` and from `dist`. */
import { fileURLToPath } from 'node:url';

export const PAGE_FOLDER = fileURLToPath(new URL('../../../dist/web/', import.meta.url));

/** The root of the package or of the checkout. */
export const PACKAGE_ROOT = fileURLToPath(new URL('../../../', import.meta.url));
