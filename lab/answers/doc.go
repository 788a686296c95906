// Package answers holds answers without a language model to what has been reached: its
// tests ask the question sets in testdata of chatbots that are put together as the product
// does, without a database and without HTTP, and count the right answers.
//
// It does not own how answers are chosen (text/quote and core/answer/extractive), nor figures
// against reference answers (package measure).
package answers
