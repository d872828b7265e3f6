int library_heap(void);
int library_number(void);
const char* library_text(void);
