import { describeHealthyWork } from './describe-healthy-work.ts';

describeHealthyWork('gemini');
