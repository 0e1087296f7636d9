import { later } from '../ui/later';

const useWhole = later(() => import('./whole-notifications'));

/** Where notices stand. What is told before it is loaded stands there then. */
export function Notices() {
  const whole = useWhole();
  return whole && <whole.Notifications position="top-right" />;
}
