% Products, factors and transforms of a matrix, by OpenBLAS and FFTW.
a = reshape(mod((1:160000) * 7919, 1000) / 1000, 400, 400);
b = a * a' + 400 * eye(400);
printf("%.10g %.10g\n", trace(b), norm(b));
printf("%.10g\n", sum(abs(fft2(a)(:))));
printf("%.8g\n", eig(b)(end - 5:end));
printf("%.8g\n", (b \ (1:400)')(1:5));
