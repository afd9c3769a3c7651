/** A straight line through points, by least squares. */
export interface Slope {
  /** Change per hour, relative to the mean. */
  perHour: number;
  /** Half the width of the 95 % confidence interval of `perHour`. */
  margin: number;
  mean: number;
  points: number;
}

/**
 * `null` below ten points. Consecutive samples of memory resemble each other, so they say less than as many independent
 * ones: the margin is widened by the correlation of the residuals with their predecessors.
 */
export function slopeOf(samples: readonly { seconds: number; value: number }[]): Slope | null {
  const points = samples.length;
  if (points < 10) return null;
  const meanX = samples.reduce((sum, { seconds }) => sum + seconds, 0) / points;
  const mean = samples.reduce((sum, { value }) => sum + value, 0) / points;
  const spread = samples.reduce((sum, { seconds }) => sum + (seconds - meanX) ** 2, 0);
  if (mean === 0 || spread === 0) return null;
  const slope = samples.reduce((sum, { seconds, value }) => sum + (seconds - meanX) * (value - mean), 0) / spread;
  const residuals = samples.map(({ seconds, value }) => value - mean - slope * (seconds - meanX));
  const squares = residuals.reduce((sum, residual) => sum + residual ** 2, 0);
  const products = residuals.slice(1).reduce((sum, residual, n) => sum + residual * (residuals[n] ?? 0), 0);
  const correlation = squares === 0 ? 0 : Math.min(0.99, Math.max(0, products / squares));
  const error = Math.sqrt((squares / (points - 2) / spread) * ((1 + correlation) / (1 - correlation)));
  return { perHour: (slope * 3_600) / mean, margin: (1.96 * error * 3_600) / mean, mean, points };
}

/** Growth that is more than noise, and more than allowed. */
export const isGrowing = ({ perHour, margin }: Slope, allowedPerHour: number): boolean =>
  perHour - margin > allowedPerHour;
