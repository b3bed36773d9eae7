export { span as duration } from '../protocol/span.ts';
