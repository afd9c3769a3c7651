/** The demo bot's initial knowledge. */
export const demoChunks = [
  {
    heading: 'Delivery',
    body: 'Delivery within Germany takes two to four working days and costs €4.90. Orders above €60 are delivered free of charge. Complete bikes are delivered by a carrier, who calls you to arrange a day.',
  },
  {
    heading: 'Returns and refunds',
    body: 'You can send anything back within 30 days, without giving a reason. Print the return label from your account and drop the package off at any post office. We refund the full price within five working days of receiving it.',
  },
  {
    heading: 'Opening hours',
    body: 'Our shop in Hamburg is open from Monday to Saturday, 10 am to 7 pm. The workshop closes at 6 pm. We are closed on public holidays.',
  },
  {
    heading: 'Battery care',
    body: 'Charge the battery indoors, at 10 to 25 °C. If you don’t ride for more than four weeks, store it half full in a dry, frost-free place. A full charge takes about four hours.',
  },
  {
    heading: 'Warranty',
    body: 'The frame is guaranteed for ten years, the motor and battery for two years or 500 charging cycles. Wear parts, such as tyres and brake pads, are not covered. Keep the invoice as proof of purchase.',
  },
  {
    heading: 'Repair appointments',
    body: 'Book a repair in your account under “Service”. A small service takes a day and costs €69, a large one two days and €129. Parts are extra, and we call you before we fit any that cost more than €40.',
  },
];
