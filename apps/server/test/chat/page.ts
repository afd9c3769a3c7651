/** The website on which visitors meet the bot. */
export const page = 'https://shop.example';
