export { formatDuration as duration } from '../base/format-duration.ts';
